import { createByteBuffer } from "../byte-buffer.ts";
import {
  createChunkedReader,
  createLengthReader,
  createUnframedReader,
  type BodySink,
  type ReadBody,
} from "./response-body.ts";
import { createHeadReader, type ResponseHead } from "./response-head.ts";

/** Response to one request. */
export interface HttpResponse {
  status: number;
  /** By lowercase name; repeated headers are joined with ", ". */
  headers: ReadonlyMap<string, string>;
  /** As received, not decompressed, at most `bodyBytesMax`; empty if a sink received it. */
  body: Uint8Array;
  /** Whether the response was longer than the limit, or the sink took no more. */
  cut: boolean;
  /** Whether the rest never arrived, which only requests accept that are read as in a browser. Absent: no. */
  incomplete?: true;
  /** Whether the connection can be used for another request. */
  reusable: boolean;
}

/** Status and headers of a response whose body follows. */
export type ResponseStart = Pick<HttpResponse, "status" | "headers">;

/** Takes a body that is too large for memory. */
export interface StreamSink extends BodySink {
  /** Maximum number of bytes that `add` takes. */
  readonly bytesMax: number;
  /**
   * Resolves when the sink can take more; undefined: at once. Until then, the server has to wait. Rejects if the sink
   * failed; the exchange then ends with the failure `aborted`.
   */
  room(): Promise<void> | undefined;
}

export interface ReadRequest {
  bodyBytesMax: number;
  /** Reads an ambiguous response as browsers do. */
  asBrowser?: boolean | undefined;
  /** Whether the response is one to HEAD, which has no body (RFC 9110 §9.3.2). */
  isHead?: boolean;
  /** Returns a sink for the body of this response; undefined: it is kept in memory. */
  receive?: ((start: ResponseStart) => StreamSink | undefined) | undefined;
}

export type Progress =
  { kind: "more" } | { kind: "done"; response: HttpResponse } | { kind: "malformed"; reason: string };

const interimMax = 8;
const interimBytesMax = 65_536;
/** Framing that a chunked response may have in addition to as many bytes as its content may have. */
const framingBytesBase = 65_536;
const more: Progress = { kind: "more" };

type Framing = "none" | "chunked" | "close" | number;

/**
 * Parses one HTTP/1.x response incrementally, within its limits.
 * RFC 9112. Strict where a response is ambiguous, because it decides whether an event counts as delivered; lenient
 * toward HTTP/1.0 and interim (1xx) responses. The server may be hostile: the time is linear in the
 * bytes received, and no part of a response can grow without limit.
 */
export function createResponseReader(request: ReadRequest) {
  const { bodyBytesMax, asBrowser = false, isHead = false, receive } = request;
  const headReader = createHeadReader({ asBrowser });
  const body = createByteBuffer(bodyBytesMax);
  let opened: { head: ResponseHead; framing: Framing; read: ReadBody } | undefined;
  let interim = 0;
  let interimBytes = 0;

  const malformed = (reason: string): Progress => ({ kind: "malformed", reason });

  const received = ({ status, headers }: ResponseHead) => ({ status, headers, body: body.bytes() });

  const done = ({ complete, reusable }: { complete: boolean; reusable: boolean }): Progress => {
    return { kind: "done", response: { ...received(opened!.head), cut: !complete, reusable } };
  };

  /** Takes a complete head. Returns why it is invalid. */
  const open = (): string | undefined => {
    const { length } = headReader;
    const head = headReader.parse();
    if (typeof head === "string") return head;
    if (head.status === 101) return "switched to another protocol";
    if (head.status < 200) {
      interim += 1;
      interimBytes += length;
      const tooMany = interim > interimMax || interimBytes > interimBytesMax;
      return tooMany ? "too many interim responses" : undefined;
    }
    const found = isHead ? "none" : framingOf(head);
    if (typeof found === "object" && !asBrowser) return found.invalid;
    const framing = typeof found === "object" ? found.inBrowser : found;
    const sink = receive?.(head);
    opened = { head, framing, read: readerFor(framing, sink ?? body, sink?.bytesMax ?? bodyBytesMax) };
    return undefined;
  };

  const readerFor = (framing: Framing, sink: BodySink, bytesMax: number): ReadBody => {
    if (framing === "chunked") return createChunkedReader(sink, framingBytesBase + bytesMax);
    if (framing === "close") return createUnframedReader(sink);
    return createLengthReader(sink, framing === "none" ? 0 : framing);
  };

  /** Reads heads up to the final one. Returns the index of the body's first byte, or an outcome before it. */
  const readHeads = (bytes: Uint8Array): number | Progress => {
    for (let index = 0; ;) {
      index = headReader.read(bytes, index);
      const state = headReader.state();
      if (state === "too long") return malformed(asBrowser ? "headers over 256 KiB" : "headers over 16 KiB");
      if (state === "more") return more;
      const invalid = open();
      if (invalid !== undefined) return malformed(invalid);
      if (opened !== undefined) return index;
    }
  };

  return {
    push(bytes: Uint8Array) {
      const start = opened === undefined ? readHeads(bytes) : 0;
      if (typeof start === "object") return start;
      const { head, read } = opened!;
      const progress = read(bytes, start);
      if (progress.kind === "complete") {
        const isReusable = keepsAlive(head) && progress.end === bytes.length;
        return done({ complete: true, reusable: isReusable });
      }
      return progress.kind === "cut" ? done({ complete: false, reusable: false }) : progress;
    },

    /** Returns the received part of an incomplete response; undefined before the end of its headers. */
    partial: () => opened && received(opened.head),

    /** Reports that the server closed the connection, which ends some responses. */
    close() {
      if (opened === undefined)
        return malformed(headReader.length === 0 ? "closed without a response" : "closed within the headers");
      if (opened.framing !== "close") return malformed("closed before the response was complete");
      return done({ complete: true, reusable: false });
    },
  };
}

/** `inBrowser`: what browsers do with invalid framing. */
function framingOf({ status, headers }: ResponseHead): Framing | { invalid: string; inBrowser: Framing } {
  if (status === 204 || status === 304) return "none";
  const encoding = headers.get("transfer-encoding")?.toLowerCase();
  const length = headers.get("content-length");
  if (encoding !== undefined) {
    const framing = encoding.split(",").at(-1)!.trim() === "chunked" ? "chunked" : "close";
    const invalid = "both Content-Length and Transfer-Encoding";
    return length === undefined ? framing : { invalid, inBrowser: framing };
  }
  if (length === undefined) return "close";
  const lengths = new Set(length.split(",").map((text) => text.trim()));
  const [only = ""] = lengths;
  return lengths.size === 1 && /^\d{1,15}$/.test(only)
    ? Number(only)
    : { invalid: "bad Content-Length", inBrowser: "close" };
}

function keepsAlive({ version, headers }: ResponseHead): boolean {
  const connection = (headers.get("connection") ?? "").toLowerCase();
  return version === "1.1" ? !/\bclose\b/.test(connection) : /\bkeep-alive\b/.test(connection);
}

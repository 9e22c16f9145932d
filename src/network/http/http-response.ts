/** Response to one request. */
export interface HttpResponse {
  status: number;
  /** By lowercase name; repeated headers are joined with ", ". */
  headers: ReadonlyMap<string, string>;
  /** As received, not decompressed, at most `bodyBytesMax`. */
  body: Uint8Array;
  /** Whether the response was longer than the limit. */
  cut: boolean;
  /** Whether the connection can be used for another request. */
  reusable: boolean;
}

export type Progress =
  { kind: "more" } | { kind: "done"; response: HttpResponse } | { kind: "malformed"; reason: string };

/** Parses one HTTP/1.x response incrementally, within its limits. */
export interface ResponseReader {
  push(bytes: Uint8Array): Progress;
  /** Reports that the server closed the connection, which ends some responses. */
  close(): Progress;
  /** Returns the received part of an incomplete response; undefined before the end of its headers. */
  partial(): { status: number; body: Uint8Array } | undefined;
}

const headBytesMax = 16_384;
const interimMax = 8;
const chunkLineBytesMax = 1_024;
const more: Progress = { kind: "more" };

interface Head {
  version: string;
  status: number;
  headers: Map<string, string>;
}

/**
 * RFC 9112. Strict where a response is ambiguous, because it decides whether an event counts as delivered; lenient
 * toward HTTP/1.0 and interim (1xx) responses.
 */
export function createResponseReader({ bodyBytesMax }: { bodyBytesMax: number }): ResponseReader {
  let unread: Uint8Array = new Uint8Array(0);
  let head: Head | undefined;
  let framing: "length" | "chunked" | "close" = "close";
  let interim = 0;
  /** Remaining bytes of the body or of the current chunk. */
  let remaining = 0;
  let chunkPart: "size" | "data" | "end" | "trailer" = "size";
  const parts: Uint8Array[] = [];
  let kept = 0;

  const malformed = (reason: string): Progress => ({ kind: "malformed", reason });

  const done = (complete: boolean): Progress => {
    const { status, headers, version } = head!;
    const connection = (headers.get("connection") ?? "").toLowerCase();
    const stays = version === "1.1" ? !/\bclose\b/.test(connection) : /\bkeep-alive\b/.test(connection);
    const reusable = complete && stays && framing !== "close" && unread.length === 0;
    return { kind: "done", response: { status, headers, body: concat(parts), cut: !complete, reusable } };
  };

  /** Returns false when the limit is reached; the rest is discarded. */
  const keep = (bytes: Uint8Array): boolean => {
    const room = bodyBytesMax - kept;
    const taken = bytes.subarray(0, room);
    if (taken.length > 0) parts.push(taken.slice());
    kept += taken.length;
    return bytes.length <= room;
  };

  const readHead = (): Progress | undefined => {
    const end = indexOfBlankLine(unread);
    if ((end === -1 ? unread.length : end) > headBytesMax) return malformed("headers over 16 KiB");
    if (end === -1) return more;
    const parsed = parseHead(new TextDecoder("latin1").decode(unread.subarray(0, end)));
    unread = unread.subarray(end + 4);
    if (typeof parsed === "string") return malformed(parsed);
    if (parsed.status === 101) return malformed("switched to another protocol");
    if (parsed.status < 200) {
      interim += 1;
      return interim > interimMax ? malformed("too many interim responses") : readHead();
    }
    head = parsed;
    return startBody(parsed);
  };

  const startBody = ({ status, headers }: Head): Progress | undefined => {
    const encoding = headers.get("transfer-encoding")?.toLowerCase();
    const length = headers.get("content-length");
    if (status === 204 || status === 304) {
      framing = "length";
      return done(true);
    }
    if (encoding !== undefined) {
      if (length !== undefined) return malformed("both Content-Length and Transfer-Encoding");
      framing = /(^|,)\s*chunked\s*$/.test(encoding) ? "chunked" : "close";
    } else if (length !== undefined) {
      const lengths = new Set(length.split(",").map((text) => text.trim()));
      const [only = ""] = lengths;
      if (lengths.size !== 1 || !/^\d{1,15}$/.test(only)) return malformed("bad Content-Length");
      framing = "length";
      remaining = Number(only);
      if (remaining === 0) return done(true);
    }
    return undefined;
  };

  const readBody = (): Progress => {
    if (framing === "chunked") return readChunks();
    const part = framing === "length" ? unread.subarray(0, remaining) : unread;
    unread = unread.subarray(part.length);
    if (!keep(part)) return done(false);
    if (framing === "close") return more;
    remaining -= part.length;
    return remaining === 0 ? done(true) : more;
  };

  const readChunks = (): Progress => {
    for (;;) {
      if (chunkPart === "data") {
        const part = unread.subarray(0, remaining);
        unread = unread.subarray(part.length);
        remaining -= part.length;
        if (!keep(part)) return done(false);
        if (remaining > 0) return more;
        chunkPart = "end";
      }
      const end = indexOfLineEnd(unread);
      if (end === -1) return unread.length > chunkLineBytesMax ? malformed("bad chunk") : more;
      const line = new TextDecoder("latin1").decode(unread.subarray(0, end));
      unread = unread.subarray(end + 2);
      if (chunkPart === "end") {
        if (line !== "") return malformed("bad chunk");
        chunkPart = "size";
      } else if (chunkPart === "size") {
        const size = /^([0-9a-f]{1,12})\s*(?:;.*)?$/i.exec(line)?.[1];
        if (size === undefined) return malformed("bad chunk size");
        remaining = Number.parseInt(size, 16);
        chunkPart = remaining === 0 ? "trailer" : "data";
      } else if (line === "") {
        return done(true);
      }
    }
  };

  return {
    push(bytes) {
      unread = unread.length === 0 ? bytes : concat([unread, bytes]);
      if (head === undefined) {
        const progress = readHead();
        if (progress !== undefined) return progress;
      }
      return readBody();
    },
    partial: () => (head === undefined ? undefined : { status: head.status, body: concat(parts) }),
    close() {
      if (head === undefined)
        return malformed(unread.length === 0 ? "closed without a response" : "closed within the headers");
      return framing === "close" ? done(true) : malformed("closed before the response was complete");
    },
  };
}

function parseHead(text: string): Head | string {
  const [statusLine = "", ...lines] = text.split("\r\n");
  const status = /^HTTP\/(1\.[01]) ([1-9]\d\d)(?: .*)?$/.exec(statusLine);
  if (status === null) return "not an HTTP/1 response";
  const headers = new Map<string, string>();
  for (const line of lines) {
    const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/.exec(line);
    if (field === null) return "bad header line";
    const [, name, value] = field as unknown as [string, string, string];
    const known = headers.get(name.toLowerCase());
    headers.set(name.toLowerCase(), known === undefined ? value : `${known}, ${value}`);
  }
  return { version: status[1]!, status: Number(status[2]), headers };
}

function indexOfBlankLine(bytes: Uint8Array): number {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).indexOf("\r\n\r\n");
}

function indexOfLineEnd(bytes: Uint8Array): number {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).indexOf("\r\n");
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
}

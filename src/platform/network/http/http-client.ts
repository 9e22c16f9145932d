import type { AddressAccess } from "../resolve.ts";
import type { AddressRefusal } from "../addresses.ts";
import { hasFreeDescriptor } from "../descriptors.ts";
import { createCancellation, createSignalFollowers, type Cancellation } from "./cancellation.ts";
import type { Connection, PeerCertificate, TlsFiles } from "./connection.ts";
import { createConnectionPool } from "./connection-pool.ts";
import { ExchangeError, type FailureKind } from "../failure.ts";
import { createTurns, type Turns } from "../turns.ts";
import { converse, type PartialResponse, type Phases, type Trace } from "./converse.ts";
import type { HttpResponse, ResponseStart, StreamSink } from "./http-response.ts";
import { noDescriptor, openConnection } from "./open-connection.ts";

export interface HttpRequest {
  url: string;
  /** Default: GET. */
  method?: "GET" | "HEAD" | "POST" | "PUT" | "DELETE";
  /** Without Host, Content-Length and Connection, which the client sets. */
  headers: Readonly<Record<string, string>>;
  /** Default: empty. */
  body?: Uint8Array;
  /** Timeout of the whole exchange, from resolving the name to the end of the response. */
  timeoutMs: number;
  bodyBytesMax: number;
  /** Returns a sink for the body of this response, however long it is; undefined: `bodyBytesMax` applies. */
  receive?: (start: ResponseStart) => StreamSink | undefined;
  tlsFiles?: TlsFiles;
  /** Accepts any certificate, to inspect a site that is not trusted anyway. */
  anyCertificate?: boolean;
  /**
   * Reads the response as browsers do, which show what they could read of an ambiguous response, and of one that never
   * ends. Default: such a response is a failure.
   */
  asBrowser?: boolean;
  signal?: AbortSignal;
}

export type ExchangeResult = {
  phases: Phases;
  durationMs: number;
  /** Address of the connection; undefined if there was none. */
  address: string | undefined;
  /** Certificate of the server, if it sent one. */
  certificate: PeerCertificate | undefined;
} & ({ response: HttpResponse } | Failure);

export interface Failure {
  failure: FailureKind;
  reason: string;
  /** The forbidden address, if that was the reason. */
  refused?: AddressRefusal | undefined;
  /** Received part of a response that was interrupted. */
  partial: PartialResponse | undefined;
}

export interface HttpClient {
  /** Sends one request and reads the response. Never throws because of the server; follows no redirect. */
  send(request: HttpRequest): Promise<ExchangeResult>;
  /** Aborts the requests that have no connection yet, of which nothing was sent. */
  abortUnsent(): void;
  /** Closes idle connections. */
  close(): void;
}

interface HttpClientOptions extends AddressAccess {
  /** Shared with everything else that processes responses. */
  turns?: Turns;
  /** How long an idle connection is kept for the next request. */
  idleMs?: number;
  /** Maximum number of idle connections that are kept. */
  idleMax?: number;
}

const noBody = new Uint8Array(0);
// Below the 5 s after which common servers close idle connections, so that a kept one is rarely dead.
const idleMsDefault = 4_000;
const idleMaxDefault = 256;

/**
 * HTTP/1.1 client for untrusted addresses: it connects only to addresses that `rules` allow, checked after the name is
 * resolved. It ignores proxies of the environment, follows no redirect, decompresses nothing, and reads no more than
 * the limit.
 */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { idleMs = idleMsDefault, idleMax = idleMaxDefault, turns = createTurns() } = options;
  const pool = createConnectionPool({ idleMs, idleMax });
  const opener = createOpener(options);
  const followers = createSignalFollowers();

  async function exchange(
    request: HttpRequest,
    cancellation: Cancellation,
    trace: Trace,
  ): Promise<HttpResponse> {
    const url = new URL(request.url);
    const key = poolKey(url, request);
    const { asBrowser, bodyBytesMax, receive, method } = request;
    const read = { asBrowser, bodyBytesMax, receive, isHead: method === "HEAD" };
    const given = { ...read, bytes: serialize(url, request), cancellation, trace, turns };
    const keep = (used: Connection) => pool.keep(key, used);
    const converseOver = (connection: Connection) => {
      trace.address = connection.address;
      trace.certificate = connection.certificate;
      return converse({ ...given, connection, keep });
    };
    const kept = pool.take(key);
    if (kept !== undefined) {
      try {
        return await converseOver(kept);
      } catch (error) {
        // The server may close an idle connection at any time. If it did so before the first byte of a response,
        // this says nothing about the receiver. At-least-once delivery permits sending again.
        const closed = error instanceof ExchangeError && error.kind === "connect";
        if (!closed || trace.phases.waitMs !== undefined) throw error;
      }
    }
    trace.address = undefined;
    return converseOver(await opener.open(url, request, cancellation, trace.phases));
  }

  return {
    async send(request) {
      const trace: Trace = { phases: {}, address: undefined, certificate: undefined, partial: undefined };
      const startedAt = performance.now();
      const cancellation = createCancellation();
      let late = false;
      const timer = setTimeout(() => {
        late = true;
        cancellation.cancel();
      }, request.timeoutMs);
      const { signal } = request;
      if (signal !== undefined) followers.follow(signal, cancellation);
      let outcome: { response: HttpResponse } | Failure;
      try {
        outcome = { response: await exchange(request, cancellation, trace) };
      } catch (error) {
        outcome = failureOf(error, request, { late, trace });
      } finally {
        clearTimeout(timer);
        if (signal !== undefined) followers.unfollow(signal, cancellation);
      }
      const { address, certificate, phases } = trace;
      return { phases, durationMs: performance.now() - startedAt, address, certificate, ...outcome };
    },
    abortUnsent: opener.abort,
    close: pool.close,
  };
}

/** Opens connections, and can abort those that are being opened. */
function createOpener({ rules, resolveHost }: AddressAccess) {
  const opening = new Set<AbortController>();

  return {
    async open(url: URL, request: HttpRequest, cancellation: Cancellation, phases: Phases) {
      const abort = new AbortController();
      cancellation.listener = () => abort.abort();
      if (cancellation.isCancelled) abort.abort();
      opening.add(abort);
      const startedAt = performance.now();
      const onResolved = () => void (phases.dnsMs = performance.now() - startedAt);
      const { tlsFiles, anyCertificate } = request;
      const given = { url, rules, resolveHost, tlsFiles, anyCertificate, signal: abort.signal, onResolved };
      try {
        const connection = await openConnection(given);
        phases.connectMs = connection.connectMs;
        if (connection.tlsMs !== undefined) phases.tlsMs = connection.tlsMs;
        return connection;
      } finally {
        opening.delete(abort);
        cancellation.listener = undefined;
      }
    },
    abort() {
      for (const abort of opening) abort.abort();
    },
  };
}

/** Returns why there is no response, or for a browser what was received of it. @throws an error that is no failure */
function failureOf(
  error: unknown,
  { asBrowser, signal, timeoutMs }: HttpRequest,
  { late, trace }: { late: boolean; trace: Trace },
): { response: HttpResponse } | Failure {
  if (!(error instanceof ExchangeError)) throw error;
  const { partial } = trace;
  const isGivenUp = signal?.aborted === true;
  if (asBrowser === true && partial !== undefined && !isGivenUp)
    return { response: { ...partial, cut: true, incomplete: true, reusable: false } };
  // A lack of descriptors shows as a refused connection, a name that does not resolve, or a timeout of DNS.
  if (trace.address === undefined && error.kind !== "refused_address" && !hasFreeDescriptor())
    return { failure: "descriptors", reason: noDescriptor, partial };
  if (late) return { failure: "timeout", reason: lateReason(timeoutMs, trace), partial };
  return { failure: error.kind, reason: error.message, refused: error.refused, partial };
}

function serialize(url: URL, { method = "GET", headers, body = noBody }: HttpRequest): Uint8Array {
  let head = `${method} ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\n`;
  for (const name in headers) head += `${name}: ${headers[name]!}\r\n`;
  head += `Content-Length: ${body.length}\r\n\r\n`;
  const bytes = Buffer.allocUnsafe(head.length + body.length);
  bytes.write(head, "latin1");
  bytes.set(body, head.length);
  return bytes;
}

function poolKey(url: URL, { tlsFiles: files = {}, anyCertificate = false }: HttpRequest): string {
  return [url.protocol, url.host, anyCertificate, files.cert ?? "", ...(files.ca ?? [])].join("\n");
}

function lateReason(timeoutMs: number, { phases, address }: Trace): string {
  const seconds = timeoutMs / 1_000;
  if (address === undefined)
    return `${phases.dnsMs === undefined ? "name not resolved" : "no connection"} within ${seconds} s`;
  return phases.waitMs === undefined
    ? `no response within ${seconds} s`
    : `response not complete within ${seconds} s`;
}

import { allowedAddresses, type ResolveHost } from "../resolve.ts";
import type { AddressRefusal, AddressRules } from "../addresses.ts";
import { connect, type Connection, type PeerCertificate, type TlsFiles } from "./connection.ts";
import { createConnectionPool } from "./connection-pool.ts";
import { ExchangeError, type FailureKind } from "../failure.ts";
import { createResponseReader, type HttpResponse, type Progress } from "./http-response.ts";

/** Durations of the parts of an exchange in milliseconds; absent for a part that did not take place. */
export interface Phases {
  dnsMs?: number;
  connectMs?: number;
  tlsMs?: number;
  /** From the request being sent to the first byte of the answer. */
  waitMs?: number;
  /** From the first byte of the answer to the last that was read. */
  readMs?: number;
}

export interface HttpRequest {
  url: string;
  method: "GET" | "POST";
  /** Without Host, Content-Length and Connection, which are set here. */
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
  /** Over the whole exchange, from the look-up of the name to the end of the answer. */
  timeoutMs: number;
  bodyBytesMax: number;
  tlsFiles?: TlsFiles;
  /** Goes on whatever certificate is shown: for a look at a site that nobody is to trust. */
  anyCertificate?: boolean;
  signal?: AbortSignal;
}

export type ExchangeResult = {
  phases: Phases;
  durationMs: number;
  /** Where the connection went, when there was one. */
  address: string | undefined;
  /** Of the connection, when it had one. */
  certificate: PeerCertificate | undefined;
} & ({ response: HttpResponse } | Failure);

export interface Failure {
  failure: FailureKind;
  reason: string;
  /** The address that must not be connected to, where that was the reason. */
  refused?: AddressRefusal | undefined;
  /** What had come of an answer that broke off. */
  partial: { status: number; body: Uint8Array } | undefined;
}

export interface HttpClient {
  /** Sends one request and reads the answer. Never throws for what the other side did; follows nothing. */
  send(request: HttpRequest): Promise<ExchangeResult>;
  /** Closes the connections that are kept open. */
  close(): void;
}

const addressesTriedMax = 4;
// Below the 5 s after which common servers close, so that a kept connection is seldom a dead one.
const idleMsDefault = 4_000;

/**
 * An HTTP/1.1 client for addresses that others chose: it connects only to addresses that `rules` allow,
 * checked after the name was resolved, takes no proxy from the environment, follows no redirect,
 * decompresses nothing, and reads no more than it was told to.
 */
export function createHttpClient({
  rules,
  resolveHost,
  idleMs = idleMsDefault,
}: {
  rules: AddressRules;
  resolveHost: ResolveHost;
  /** How long a connection is kept open for a next request. */
  idleMs?: number;
}): HttpClient {
  const pool = createConnectionPool({ idleMs });

  async function open(
    url: URL,
    request: HttpRequest,
    signal: AbortSignal,
    phases: Phases,
  ): Promise<Connection> {
    const startedAt = performance.now();
    const addresses = await orAbort(allowedAddresses({ hostname: url.hostname, rules, resolveHost }), signal);
    phases.dnsMs = performance.now() - startedAt;
    let failure: unknown;
    for (const address of addresses.slice(0, addressesTriedMax)) {
      try {
        const connection = await connect({
          address,
          port: Number(url.port || (url.protocol === "https:" ? 443 : 80)),
          serverName: url.hostname.replace(/^\[|\]$/g, ""),
          tlsFiles: url.protocol === "https:" ? (request.tlsFiles ?? {}) : undefined,
          anyCertificate: request.anyCertificate ?? false,
          signal,
        });
        phases.connectMs = connection.connectMs;
        if (connection.tlsMs !== undefined) phases.tlsMs = connection.tlsMs;
        return connection;
      } catch (error) {
        failure = error;
        // Another address answers for another machine, but not for another certificate.
        if (!(error instanceof ExchangeError) || error.kind !== "connect") break;
      }
    }
    throw failure;
  }

  async function exchange(request: HttpRequest, signal: AbortSignal, trace: Trace): Promise<HttpResponse> {
    const url = new URL(request.url);
    const key = poolKey(url, request);
    const bytes = serialize(url, request);
    const kept = pool.take(key);
    if (kept !== undefined) {
      trace.address = kept.address;
      trace.certificate = kept.certificate;
      try {
        return await converse(kept, bytes, request, signal, trace, (connection) =>
          pool.keep(key, connection),
        );
      } catch (error) {
        // The other side may close a kept connection at any time; one that did so before a byte of an answer
        // came says nothing of the receiver. Sending again is within at-least-once.
        const closed = error instanceof ExchangeError && error.kind === "connect";
        if (!closed || trace.phases.waitMs !== undefined) throw error;
      }
    }
    const connection = await open(url, request, signal, trace.phases);
    trace.address = connection.address;
    trace.certificate = connection.certificate;
    return converse(connection, bytes, request, signal, trace, (used) => pool.keep(key, used));
  }

  return {
    async send(request) {
      const trace: Trace = { phases: {}, address: undefined, certificate: undefined, partial: undefined };
      const startedAt = performance.now();
      const deadline = new AbortController();
      let late = false;
      const timer = setTimeout(() => {
        late = true;
        deadline.abort();
      }, request.timeoutMs);
      const onAbort = () => deadline.abort();
      request.signal?.addEventListener("abort", onAbort, { once: true });
      if (request.signal?.aborted === true) onAbort();
      const result = (rest: { response: HttpResponse } | Failure) => ({
        phases: trace.phases,
        durationMs: performance.now() - startedAt,
        address: trace.address,
        certificate: trace.certificate,
        ...rest,
      });
      try {
        return result({ response: await exchange(request, deadline.signal, trace) });
      } catch (error) {
        if (!(error instanceof ExchangeError)) throw error;
        const { partial } = trace;
        if (late)
          return result({ failure: "timeout", reason: lateReason(request.timeoutMs, trace), partial });
        return result({ failure: error.kind, reason: error.message, refused: error.refused, partial });
      } finally {
        clearTimeout(timer);
        request.signal?.removeEventListener("abort", onAbort);
      }
    },
    close: pool.close,
  };
}

interface Trace {
  phases: Phases;
  address: string | undefined;
  partial: Failure["partial"];
  certificate: PeerCertificate | undefined;
}

/** One request and its answer over an open connection. */
function converse(
  connection: Connection,
  bytes: Uint8Array,
  request: HttpRequest,
  signal: AbortSignal,
  trace: Trace,
  keep: (connection: Connection) => void,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const reader = createResponseReader({ bodyBytesMax: request.bodyBytesMax });
    const sentAt = performance.now();
    let firstByteAt: number | undefined;
    const finish = (outcome: HttpResponse | ExchangeError) => {
      signal.removeEventListener("abort", onAbort);
      connection.listen(undefined);
      if (firstByteAt !== undefined) trace.phases.readMs = performance.now() - firstByteAt;
      if (outcome instanceof ExchangeError) {
        trace.partial = reader.partial();
        connection.destroy();
        return reject(outcome);
      }
      if (outcome.reusable && connection.open) keep(connection);
      else connection.destroy();
      resolve(outcome);
    };
    const take = (progress: Progress, kind: "protocol" | "connect") => {
      if (progress.kind === "done") finish(progress.response);
      else if (progress.kind === "malformed") finish(new ExchangeError(kind, progress.reason));
    };
    const onAbort = () => finish(new ExchangeError("aborted", "given up"));
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) return onAbort();
    connection.listen({
      onData(chunk) {
        if (firstByteAt === undefined) {
          firstByteAt = performance.now();
          trace.phases.waitMs = firstByteAt - sentAt;
        }
        take(reader.push(chunk), "protocol");
      },
      onClose(error) {
        // A reset is never the proper end of an answer, even where closing would be.
        if (error === undefined) take(reader.close(), "connect");
        else finish(new ExchangeError("connect", `connection broken (${codeOf(error)})`));
      },
    });
    if (connection.open) connection.write(bytes);
    else take(reader.close(), "connect");
  });
}

function serialize(url: URL, { method, headers, body }: HttpRequest): Uint8Array {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${method} ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\n${lines.join("")}Content-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), body]);
}

function poolKey(url: URL, { tlsFiles: files = {}, anyCertificate = false }: HttpRequest): string {
  return [url.protocol, url.host, anyCertificate, files.cert ?? "", ...(files.ca ?? [])].join("\n");
}

function lateReason(timeoutMs: number, { phases, address }: Trace): string {
  const seconds = timeoutMs / 1_000;
  if (address === undefined)
    return `${phases.dnsMs === undefined ? "name not resolved" : "no connection"} within ${seconds} s`;
  return phases.waitMs === undefined
    ? `no answer within ${seconds} s`
    : `answer not complete within ${seconds} s`;
}

function codeOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? error.message;
}

/** Settles with `promise`, or rejects as soon as `signal` is aborted. */
function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(new ExchangeError("aborted", "given up"));
    if (signal.aborted) return onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

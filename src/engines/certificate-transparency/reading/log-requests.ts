import type { Clock } from "../../../platform/lib/clock.ts";
import type { Limiter } from "../../../platform/lib/limiter.ts";
import { createByteBuffer, type ByteBuffer } from "../../../platform/network/byte-buffer.ts";
import { describeFailure } from "../../../platform/network/failure.ts";
import type { ExchangeResult, HttpClient } from "../../../platform/network/http/http-client.ts";
import type { HttpResponse, StreamSink } from "../../../platform/network/http/http-response.ts";
import { retryAfterMs } from "../../../platform/network/http/retry-after.ts";
import { LogError, type CertificateLog } from "../log.ts";
import type { Breaker } from "./breaker.ts";
import { acceptedEncoding, decodeContent } from "./content.ts";
import type { RequestBudget } from "./request-budget.ts";

/** Reason why a response has no content, where the reader has another way. */
export type Absence = "missing" | "too_large";

export interface LogRequest<T, Tolerated extends Absence> {
  /** Below the URL of the log, with its query. */
  path: string;
  /** Timeout of the exchange. */
  timeoutMs: number;
  /** Maximum size of the content, on the wire and decompressed. */
  bytesMax: number;
  /** Requests larger content again, up to this size, while no other large response is read. */
  largeBytesMax?: number | undefined;
  /** Decompresses gzip without Content-Encoding, for content that cannot start like it. */
  detectGzip?: boolean;
  /** Returns these instead of throwing; they do not count as failures of the log. */
  tolerated: readonly Tolerated[];
  signal: AbortSignal;
  /** Reads the content. A `LogError` that it throws counts as a failure of the log. */
  parse(bytes: Uint8Array, wireBytes: number): T;
}

/** Requests to one log, politely. Rejects with `LogError`, or with the reason of the signal. */
export type LogRequests = <T, Tolerated extends Absence = never>(
  request: LogRequest<T, Tolerated>,
) => Promise<T | Tolerated>;

/** Statuses of a server that does not have a file, or does not offer an endpoint. Object stores use 403. */
const missingStatuses = [400, 403, 404, 405, 410, 501];
/** One overloaded log must not stop the other logs of its operator for long. */
const operatorPauseMsMax = 60_000;
/** Garbage is collected after this much of a large response. */
const uncollectedBytesMax = 4 << 20;

interface LogRequestsDependencies {
  log: Pick<CertificateLog, "url" | "isExtra">;
  client: HttpClient;
  clock: Clock;
  budget: RequestBudget;
  breaker: Breaker;
  large: Limiter;
  userAgent: string;
}

/** @param large admits one large response at a time, of all logs together */
export function createLogRequests(dependencies: LogRequestsDependencies): LogRequests {
  const { log, client, clock, budget, breaker, large, userAgent } = dependencies;
  const headers = { "User-Agent": userAgent, "Accept-Encoding": acceptedEncoding };

  async function exchange(request: LogRequest<unknown, Absence>, bodyBytesMax: number) {
    const { signal, timeoutMs } = request;
    const url = log.url + request.path;
    const isLarge = bodyBytesMax > request.bytesMax;
    const sink = createLargeBody(bodyBytesMax);
    const result = await client.send({
      url,
      headers,
      timeoutMs,
      bodyBytesMax,
      ...(isLarge ? { receive: () => sink } : {}),
      signal,
    });
    if (!isLarge || !("response" in result)) return result;
    return { ...result, response: { ...result.response, body: sink.bytes() } };
  }

  function classify<T>(
    request: LogRequest<T, Absence>,
    response: HttpResponse,
    bytesMax: number,
  ): T | Absence {
    const { status } = response;
    if (missingStatuses.includes(status) && request.tolerated.includes("missing")) return "missing";
    if (status !== 200) throw statusError(response, clock.now());
    const content = response.cut
      ? ({ failure: "too_large" } as const)
      : decodeContent({
          body: response.body,
          encoding: response.headers.get("content-encoding"),
          bytesMax,
          detectGzip: request.detectGzip ?? false,
        });
    if ("bytes" in content) return request.parse(content.bytes, response.body.length);
    if (content.failure === "broken") throw new LogError("response", `the response is ${content.reason}`);
    const isLast = bytesMax >= (request.largeBytesMax ?? 0);
    if (!isLast || request.tolerated.includes("too_large")) return "too_large";
    throw new LogError("response", `the response is larger than ${Math.ceil(bytesMax / 1024)} KiB`);
  }

  /** Sends one request and reports to the breaker whether it and reading the content succeeded. */
  function attempt<T>(request: LogRequest<T, Absence>, bytesMax: number): Promise<T | Absence> {
    breaker.check();
    return budget.run(request.signal, async () => {
      const settle = breaker.admit();
      let failure: LogError;
      try {
        const result = await exchange(request, bytesMax);
        if (request.signal.aborted) throw request.signal.reason;
        if (!("response" in result)) throw networkError(result);
        const value = classify(request, result.response, bytesMax);
        settle(undefined);
        return value;
      } catch (error) {
        if (!(error instanceof LogError)) {
          settle(undefined, { isCancelled: true });
          throw error;
        }
        failure = error;
      }
      const waitMs = settle(failure);
      if (failure.kind === "rate_limited") budget.pause(Math.min(waitMs, operatorPauseMsMax));
      throw new LogError(failure.kind, failure.message, waitMs);
    });
  }

  return async (request) => {
    type Result = Awaited<ReturnType<typeof request.parse>> | (typeof request.tolerated)[number];
    const { bytesMax, largeBytesMax } = request;
    const first = await attempt(request, bytesMax);
    // The rejected response is garbage, and the next one may need much memory.
    if (first === "too_large") Bun.gc(true);
    if (first !== "too_large" || largeBytesMax === undefined) return first as Result;
    return (await large(() => attempt(request, largeBytesMax))) as Result;
  };
}

/**
 * Collects a large body. The pieces in which it arrives are garbage, which would grow to several times the size of the
 * body before it is collected.
 */
function createLargeBody(bytesMax: number): StreamSink & Pick<ByteBuffer, "bytes"> {
  const body = createByteBuffer(bytesMax);
  let uncollected = 0;
  return {
    bytesMax,
    room: () => undefined,
    bytes: body.bytes,
    add(bytes, from = 0, to = bytes.length) {
      uncollected += to - from;
      if (uncollected > uncollectedBytesMax) {
        uncollected = 0;
        Bun.gc(true);
      }
      return body.add(bytes, from, to);
    },
  };
}

function networkError(result: Exclude<ExchangeResult, { response: HttpResponse }>): LogError {
  const isForm = result.failure === "protocol";
  return new LogError(isForm ? "response" : "network", describeFailure(result));
}

function statusError({ status, headers }: HttpResponse, now: number): LogError {
  if (status === 429 || status === 503) {
    const waitMs = retryAfterMs(status, headers.get("retry-after"), now) ?? null;
    return new LogError("rate_limited", `status ${status}: too many requests or overloaded`, waitMs);
  }
  if (status >= 300 && status < 400) {
    return new LogError("status", `status ${status}: redirects of logs are not followed`);
  }
  return new LogError("status", `status ${status}`);
}

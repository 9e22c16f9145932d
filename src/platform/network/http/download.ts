import type { Clock } from "../../lib/clock.ts";
import { messageOf } from "../../lib/errors.ts";
import { visible } from "../../lib/safe-text.ts";
import { describeFailure, describeSourceFailure } from "../failure.ts";
import { createFileSink, type FileSink } from "./file-sink.ts";
import type { ExchangeResult, HttpClient } from "./http-client.ts";
import type { HttpResponse, StreamSink } from "./http-response.ts";
import { retryAfterMs } from "./retry-after.ts";
import { conditionsFor, validatorsOf, type Validators } from "./validators.ts";

export interface DownloadRequest {
  url: string;
  /** Sent to the origin of `url` only, because they may contain secrets. */
  headers: Readonly<Record<string, string>>;
  userAgent: string;
  /** Version that is known already. */
  known: Validators;
  /** File that receives the body as it was sent, compressed or not. Deleted unless the result is `content`. */
  path: string;
  bytesMax: number;
  /** Problem of a body that is longer than `bytesMax`. */
  tooLarge: string;
  /** Checks with HEAD first whether the version is known, for services that count downloads. */
  checksFirst?: boolean;
  /** Whether http:// is permitted, also after a redirect. */
  allowHttp: boolean;
  signal: AbortSignal;
}

export type DownloadResult =
  | { kind: "content"; validators: Validators; bytes: number; sha256: string }
  /** The server has the version that is known. */
  | { kind: "unchanged" }
  | DownloadFailure;

export interface DownloadFailure {
  kind: "failed";
  /** Sentence for the operator, without the URL. */
  problem: string;
  /** Status of the response; null if there was none. */
  status: number | null;
  /** How long the server asked to wait; null if it did not say. */
  retryAfterMs: number | null;
}

const redirectsMax = 5;
/** Maximum time of a download: a list of 1 GiB at 50 KiB per second. */
const downloadMsMax = 6 * 3_600_000;
/** A server has to send at least this much in each period. */
const slowPeriodMs = 60_000;
const slowBytesMin = 64 * 1024;
/** Maximum delay that a server can ask for. */
const retryAfterMsMax = 7 * 86_400_000;
const errorBytesMax = 4_096;

/** Downloads a file, if it is not the version that is known. Rejects only with the reason of the signal. */
export async function download(
  { client, clock }: { client: HttpClient; clock: Clock },
  request: DownloadRequest,
): Promise<DownloadResult> {
  let sink: FileSink;
  try {
    sink = await createFileSink(request.path, { bytesMax: request.bytesMax });
  } catch (error) {
    return failed(`The file for it cannot be created: ${messageOf(error)}`);
  }
  let result: DownloadResult | undefined;
  const guard = guardPace(clock, sink, request.signal);
  try {
    result = await follow({ client, clock, sink, guard }, request);
    request.signal.throwIfAborted();
    return result;
  } finally {
    guard.stop();
    if (result?.kind !== "content") await sink.discard();
  }
}

interface Running {
  client: HttpClient;
  clock: Clock;
  sink: FileSink;
  guard: PaceGuard;
}

async function follow(running: Running, request: DownloadRequest): Promise<DownloadResult> {
  if (request.checksFirst === true && (await isSameVersion(running, request))) return { kind: "unchanged" };
  const { origin } = new URL(request.url);
  let url = request.url;
  for (let redirects = 0; ; redirects++) {
    const own = new URL(url).origin === origin ? request.headers : {};
    const exchange = await exchangeOnce(running, request, { url, headers: headersFor(request, own) });
    const response = "response" in exchange ? exchange.response : undefined;
    const target = response === undefined ? undefined : redirectTarget(response, url);
    if (target === undefined) return conclude(running, request, exchange, { isRedirected: redirects > 0 });
    if (redirects === redirectsMax) return failed(`The server redirects more than ${redirectsMax} times.`);
    const refusal = redirectRefusal(target, request.allowHttp);
    if (refusal !== undefined) return failed(refusal, response);
    url = target.href;
  }
}

/** Returns whether the server says, without sending it, that it has the version that is known. */
async function isSameVersion({ client, guard }: Running, request: DownloadRequest): Promise<boolean> {
  const { known, url, headers } = request;
  if (known.etag === null && known.lastModified === null) return false;
  const exchange = await client.send({
    url,
    method: "HEAD",
    headers: headersFor(request, headers),
    timeoutMs: slowPeriodMs,
    bodyBytesMax: 0,
    signal: guard.signal,
  });
  // Whatever else it says, the download shows it.
  if (!("response" in exchange)) return false;
  const { status, headers: received } = exchange.response;
  return status === 304 || (status === 200 && isKnown(received, known));
}

function exchangeOnce(
  { client, sink, guard }: Running,
  { bytesMax, known }: DownloadRequest,
  { url, headers }: { url: string; headers: Record<string, string> },
): Promise<ExchangeResult> {
  return client.send({
    url,
    headers,
    timeoutMs: downloadMsMax,
    bodyBytesMax: errorBytesMax,
    receive: ({ status, headers: received }) => {
      if (status !== 200) return undefined;
      // A list that is known, or says that it is too large, is not worth a byte.
      const isLarge = Number(received.get("content-length") ?? 0) > bytesMax;
      return isLarge || isKnown(received, known) ? refusingSink : sink;
    },
    signal: guard.signal,
  });
}

/** Returns what the last response of a chain of redirects means. */
async function conclude(
  { clock, sink, guard }: Running,
  { known, tooLarge }: DownloadRequest,
  exchange: ExchangeResult,
  { isRedirected }: { isRedirected: boolean },
): Promise<DownloadResult> {
  if (sink.error !== undefined) return failed(`The list cannot be stored: ${sink.error.message}`);
  if (guard.isSlow()) return failed("The server sends less than 64 KiB per minute.");
  // A setting that lets a public server redirect to a private address is not worth a hint.
  const describe = isRedirected ? describeFailure : describeSourceFailure;
  if (!("response" in exchange)) return failed(`The request failed: ${visible(describe(exchange), 300)}.`);
  const { response } = exchange;
  const { status, headers } = response;
  if (status === 304 && (known.etag !== null || known.lastModified !== null)) return { kind: "unchanged" };
  if (status !== 200)
    return failed(statusProblem(status), response, waitMs(status, headers.get("retry-after"), clock));
  if (isKnown(headers, known)) return { kind: "unchanged" };
  if (response.cut || sink.isFull) return failed(tooLarge);
  const coding = (headers.get("content-encoding") ?? "").trim().toLowerCase();
  if (!["", "identity", "gzip", "x-gzip", "zstd"].includes(coding))
    return failed(`The server uses the content encoding "${visible(coding, 20)}", which it was not offered.`);
  try {
    return { kind: "content", validators: validatorsOf(headers), ...(await sink.finish()) };
  } catch (error) {
    return failed(`The list cannot be stored: ${messageOf(error)}`);
  }
}

type PaceGuard = ReturnType<typeof guardPace>;

/** Aborts a download that makes hardly any progress, which a timeout of hours would not notice. */
function guardPace(clock: Clock, sink: FileSink, given: AbortSignal) {
  const controller = new AbortController();
  const onAbort = () => controller.abort();
  given.addEventListener("abort", onAbort, { once: true });
  if (given.aborted) onAbort();
  let bytes = 0;
  let isSlow = false;
  const watch = () =>
    clock.after(slowPeriodMs, () => {
      isSlow = sink.bytes - bytes < slowBytesMin;
      bytes = sink.bytes;
      if (isSlow) controller.abort();
      else timer = watch();
    });
  let timer = watch();
  return {
    /** Aborted with the given signal, and when the server is too slow. */
    signal: controller.signal,
    isSlow: () => isSlow,
    stop() {
      timer.cancel();
      given.removeEventListener("abort", onAbort);
    },
  };
}

const refusingSink: StreamSink = { bytesMax: 0, add: () => false, room: () => undefined };

/** Headers that the client or this module sets. */
const reserved = new Set(["host", "content-length", "connection", "transfer-encoding", "accept-encoding"]);

function headersFor(
  { userAgent, known }: DownloadRequest,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const chosen = Object.entries(own)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !reserved.has(name));
  return {
    accept: "*/*",
    "user-agent": userAgent,
    ...Object.fromEntries(chosen),
    // Lists are stored as they arrive and decompressed while they are read.
    "accept-encoding": "gzip",
    ...conditionsFor(known),
  };
}

/** Not every server supports conditional requests: some send validators and ignore them. */
function isKnown(headers: ReadonlyMap<string, string>, known: Validators): boolean {
  const { etag, lastModified } = validatorsOf(headers);
  return (
    (etag !== null || lastModified !== null) && etag === known.etag && lastModified === known.lastModified
  );
}

function redirectTarget({ status, headers }: HttpResponse, from: string): URL | undefined {
  const location = headers.get("location");
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return undefined;
  return URL.parse(location, from) ?? undefined;
}

function redirectRefusal(target: URL, allowHttp: boolean): string | undefined {
  if (target.protocol === "https:" || (target.protocol === "http:" && allowHttp)) return undefined;
  return target.protocol === "http:"
    ? "The server redirects to an unencrypted address."
    : "The server redirects to something that is not a web address.";
}

/** Describes a status with what to do about it. */
function statusProblem(status: number): string {
  if (status === 401 || status === 403)
    return `The server denies access (status ${status}): check the secrets of the feed.`;
  if (status === 404 || status === 410)
    return `The server has no such list (status ${status}): check the url of the feed.`;
  if (status === 429 || status === 503 || status === 509)
    return `The server limits requests (status ${status}): the list is fetched again later.`;
  return `The server responded with status ${status}.`;
}

/** Some list servers respond with 509 where others say 429. */
function waitMs(status: number, header: string | undefined, clock: Clock): number | null {
  const asked = retryAfterMs(status === 509 ? 429 : status, header, clock.now());
  return asked === undefined ? null : Math.min(asked, retryAfterMsMax);
}

function failed(
  problem: string,
  response?: Pick<HttpResponse, "status">,
  delayMs: number | null = null,
): DownloadFailure {
  return { kind: "failed", problem, status: response?.status ?? null, retryAfterMs: delayMs };
}

import type { Clock, Instant } from "../lib/clock.ts";
import { visible } from "../lib/safe-text.ts";
import type { ExchangeResult, HttpClient, Phases } from "../network/http/http-client.ts";
import type { TlsFiles } from "../network/http/connection.ts";
import { signingSecrets, type Endpoint } from "./endpoint-store.ts";
import { withSettingHint } from "./private-networks-hint.ts";
import { requestedDelayMs } from "./schedule.ts";
import { signatureHeaders } from "./signing.ts";
import type { FailureClass } from "./tables.ts";

/** What came of one attempt. */
export interface AttemptResult {
  startedAt: Instant;
  durationMs: number;
  phases: Phases;
  /** Where the connection went; null when there was none. */
  address: string | null;
  /** HTTP status of the answer; null when there was none. */
  statusCode: number | null;
  /** Null on success. */
  failure: FailureClass | null;
  /** What went wrong, in words; null on success. */
  error: string | null;
  /** The first KiB of the answer, safe to show. */
  answer: string;
  /** How long the receiver asks to be left alone. */
  retryAfterMs: number | undefined;
}

/** Sends one event to one endpoint, once. Answers undefined when it was given up from our side. */
export type SendAttempt = (
  endpoint: Endpoint,
  event: { id: string; body: string },
  signal?: AbortSignal,
) => Promise<AttemptResult | undefined>;

const answerBytesMax = 65_536;
const answerBytesKept = 1_024;

export function createSender({
  client,
  clock,
  version,
  timeoutMs,
  tlsFiles,
}: {
  client: HttpClient;
  clock: Clock;
  /** Of the product, for the User-Agent. */
  version: string;
  timeoutMs: number;
  /** Certificates for an endpoint. Throws when a file cannot be read. */
  tlsFiles: (endpoint: Endpoint) => TlsFiles;
}): SendAttempt {
  return async (endpoint, event, signal) => {
    const startedAt = clock.now();
    let files: TlsFiles;
    try {
      files = tlsFiles(endpoint);
    } catch (error) {
      return { ...unsent(startedAt), failure: "tls", error: visible((error as Error).message, 500) };
    }
    const body = Buffer.from(event.body);
    const result = await client.send({
      url: endpoint.url,
      method: "POST",
      headers: {
        "User-Agent": `phishwatch/${version}`,
        ...endpoint.headers,
        "Content-Type": "application/json",
        ...signatureHeaders({
          eventId: event.id,
          body,
          secrets: signingSecrets(endpoint, startedAt),
          sentAt: startedAt,
        }),
      },
      body,
      timeoutMs,
      bodyBytesMax: answerBytesMax,
      tlsFiles: files,
      ...(signal === undefined ? {} : { signal }),
    });
    return judge(result, startedAt, clock.now());
  };
}

/** Whether the receiver has taken the event: only a status of 200 to 299 with its whole answer says so. */
export function judge(
  result: ExchangeResult,
  startedAt: Instant,
  endedAt: Instant,
): AttemptResult | undefined {
  const base = {
    ...unsent(startedAt),
    durationMs: Math.round(result.durationMs),
    phases: rounded(result.phases),
    address: result.address ?? null,
  };
  if ("failure" in result) {
    if (result.failure === "aborted") return undefined;
    const { failure, partial, refused } = result;
    const reason = withSettingHint(result.reason, refused);
    const came = partial === undefined ? {} : { statusCode: partial.status, answer: safeText(partial.body) };
    return { ...base, ...came, failure, error: visible(reason, 500) };
  }
  const { status, headers, body } = result.response;
  const answer = safeText(body);
  const answered = { ...base, statusCode: status, answer };
  if (status >= 200 && status <= 299) return answered;
  if (status >= 300 && status <= 399) {
    const target = headers.get("location");
    const where = target === undefined ? "" : ` to ${visible(target, 200)}`;
    return { ...answered, failure: "redirect", error: `redirected${where}; redirects are not followed` };
  }
  return {
    ...answered,
    failure: "status",
    error: `answered ${status}`,
    retryAfterMs: requestedDelayMs(status, headers.get("retry-after"), endedAt),
  };
}

function unsent(startedAt: Instant): AttemptResult {
  return {
    startedAt,
    durationMs: 0,
    phases: {},
    address: null,
    statusCode: null,
    failure: null,
    error: null,
    answer: "",
    retryAfterMs: undefined,
  };
}

/** Bytes that are not UTF-8 (a cut character, something compressed) become U+FFFD. */
function safeText(body: Uint8Array): string {
  const text = new TextDecoder().decode(body.subarray(0, answerBytesKept));
  return visible(text, answerBytesKept);
}

function rounded(phases: Phases): Phases {
  return Object.fromEntries(
    Object.entries(phases).map(([name, ms]) => [name, Math.round(ms * 10) / 10]),
  ) as Phases;
}

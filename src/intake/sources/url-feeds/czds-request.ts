import type { Clock } from "../../../platform/lib/clock.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import { describeSourceFailure } from "../../../platform/network/failure.ts";
import type { HttpClient } from "../../../platform/network/http/http-client.ts";
import { retryAfterMs } from "../../../platform/network/http/retry-after.ts";

const timeoutMs = 60_000;
const responseBytesMax = 1 << 20;
/** Delay after a response that asks for a delay and does not say how long. */
const limitedMs = 15 * 60_000;

export interface CzdsFailure {
  /** Sentence for the operator. */
  problem: string;
  retryAfterMs: number | null;
}

/** Sends a small request to the service. Rejects only with the reason of the signal. */
export async function sendToCzds(
  { client, clock }: { client: HttpClient; clock: Clock },
  {
    body,
    headers,
    ...request
  }: {
    url: string;
    method: "GET" | "POST";
    headers: Record<string, string>;
    body: string;
    signal: AbortSignal;
  },
): Promise<{ status: number; text: string } | CzdsFailure> {
  const exchange = await client.send({
    ...request,
    headers: { ...headers, accept: "application/json" },
    body: Buffer.from(body),
    timeoutMs,
    bodyBytesMax: responseBytesMax,
  });
  request.signal.throwIfAborted();
  if (!("response" in exchange))
    return {
      problem: `CZDS cannot be reached: ${visible(describeSourceFailure(exchange), 300)}.`,
      retryAfterMs: null,
    };
  const { status, headers: received, body: content, cut } = exchange.response;
  if (status === 429 || status === 503)
    return {
      problem: `CZDS limits requests (status ${status}): the request is repeated later.`,
      retryAfterMs: retryAfterMs(status, received.get("retry-after"), clock.now()) ?? limitedMs,
    };
  if (cut) return { problem: "CZDS sent a response that is too long.", retryAfterMs: null };
  return { status, text: new TextDecoder().decode(content) };
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

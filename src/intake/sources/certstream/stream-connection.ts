import { delay, type Clock, type Instant, type Timer } from "../../../platform/lib/clock.ts";
import { backoffMs } from "../../../platform/lib/durations.ts";
import { describeSourceError } from "../../../platform/network/failure.ts";
import type { WebSocketClient, WebSocketRequest } from "../../../platform/network/websocket/websocket.ts";
import { readMessage, type CertificateNames } from "./messages.ts";

/** Maximum size of a message. A certificate with a chain and a hundred names takes 20 KiB. */
export const messageBytesMax = 1 << 20;
/** A public certificate log adds several certificates in each second. */
const silenceMsMax = 5 * 60_000;
/** Number of messages in a row that are not in the format, after which the server is no certstream server. */
const unusableMax = 100;
const backoffMsMin = 1_000;
const backoffMsMax = 5 * 60_000;
/** A connection that delivered names for this long counts as stable: the next attempt follows soon. */
const stableMs = 60_000;

/** State of a stream. */
export interface StreamState {
  isConnected: boolean;
  /** Why there is no connection, or the last one ended; null while names arrive. */
  problem: string | null;
}

interface StreamConnectionDependencies {
  client: WebSocketClient;
  clock: Clock;
  random: () => number;
  request: Pick<WebSocketRequest, "url" | "headers">;
  onNames: (names: CertificateNames, at: Instant) => void;
  onUnusable: () => void;
  onChange: (state: StreamState) => void;
}

/**
 * Keeps a stream open.
 * @param random returns a number from 0 to below 1.
 * @param onNames called for each certificate. @param onUnusable called for each message that is not in the format.
 * @param onChange called when a connection is made, ends, or fails for another reason than before.
 */
export function createStreamConnection(dependencies: StreamConnectionDependencies) {
  const { client, clock, random, request, onNames, onUnusable, onChange } = dependencies;
  let state: StreamState = { isConnected: false, problem: null };

  function change(next: StreamState): void {
    const isNew = next.isConnected !== state.isConnected || next.problem !== state.problem;
    state = next;
    if (isNew) onChange(next);
  }

  /** Resolves with why the connection ended, and whether it was stable. */
  async function receive(signal: AbortSignal): Promise<{ reason: string; wasStable: boolean }> {
    const connection = new AbortController();
    const close = () => connection.abort();
    const ended = Promise.withResolvers<string>();
    const startedMs = clock.monotonicMs();
    let latestMs = startedMs;
    let unusable = 0;
    let silence: Timer | undefined;

    const watchSilence = (delayMs: number) => {
      silence = clock.after(delayMs, () => {
        const leftMs = latestMs + silenceMsMax - clock.monotonicMs();
        if (leftMs > 0) watchSilence(leftMs);
        else ended.resolve(`sent no names for ${silenceMsMax / 60_000} minutes`);
      });
    };
    const onMessage = (bytes: Uint8Array) => {
      const read = readMessage(bytes);
      if (read === null) return;
      if ("error" in read) {
        onUnusable();
        if (++unusable === unusableMax)
          ended.resolve(
            `sends messages in another format (${read.error}); url must be that of a certstream server`,
          );
        return;
      }
      unusable = 0;
      latestMs = clock.monotonicMs();
      if (state.problem !== null) change({ isConnected: true, problem: null });
      onNames(read, clock.now());
    };

    signal.addEventListener("abort", close, { once: true });
    if (signal.aborted) close();
    connection.signal.addEventListener("abort", () => ended.resolve("given up"), { once: true });
    try {
      const { url, headers } = request;
      const onEnd = ended.resolve;
      await client.open({ url, headers, messageBytesMax, signal: connection.signal, onMessage, onEnd });
      // The problem of the connection before is shown until names arrive.
      change({ ...state, isConnected: true });
      watchSilence(silenceMsMax);
      const reason = await ended.promise;
      return { reason, wasStable: latestMs - startedMs >= stableMs };
    } catch (error) {
      return { reason: describeSourceError(error), wasStable: false };
    } finally {
      silence?.cancel();
      signal.removeEventListener("abort", close);
      close();
    }
  }

  return {
    state: () => state,

    /** Connects, again and again, until the signal is aborted. Never rejects. */
    async run(signal: AbortSignal) {
      for (let failures = 0; !signal.aborted;) {
        const { reason, wasStable } = await receive(signal);
        if (signal.aborted) break;
        failures = wasStable ? 1 : failures + 1;
        change({ isConnected: false, problem: reason });
        const delayMs = backoffMs({ failures, firstMs: backoffMsMin, maxMs: backoffMsMax });
        // Clients that a server lost together do not come back together.
        await delay(clock, delayMs * (0.5 + random() / 2), signal);
      }
      state = { isConnected: false, problem: null };
    },
  };
}

import { BoundedMap } from "../lib/bounded-map.ts";
import type { Clock } from "../lib/clock.ts";
import type { ResolveHost } from "./resolve.ts";

const failureKeptMs = 5_000;
const failuresMax = 1_000;

/**
 * Runs one lookup per name at a time, whose result all callers share, and repeats a failure for a few seconds. Many
 * requests to a name without a responding name server thus cost one lookup. Addresses are not kept: each request after
 * the lookup resolves the name again, and checks what it finds.
 */
export function shareLookups(given: { clock: Clock; resolveHost: ResolveHost }): ResolveHost {
  const { clock, resolveHost } = given;
  const running = new Map<string, Promise<string[]>>();
  const failures = new BoundedMap<string, { error: unknown; atMs: number }>(failuresMax);

  const recentFailure = (name: string) => {
    const failure = failures.get(name);
    if (failure === undefined) return undefined;
    if (clock.monotonicMs() - failure.atMs < failureKeptMs) return failure;
    failures.delete(name);
    return undefined;
  };

  const lookUp = async (name: string) => {
    try {
      return await resolveHost(name);
    } catch (error) {
      failures.set(name, { error, atMs: clock.monotonicMs() });
      throw error;
    }
  };

  return async (hostname) => {
    const name = hostname.toLowerCase();
    const failure = recentFailure(name);
    if (failure !== undefined) throw failure.error;
    const start = () => lookUp(name).finally(() => running.delete(name));
    return [...(await running.getOrInsertComputed(name, start))];
  };
}

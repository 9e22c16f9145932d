import type { Instant, Timer } from "../../platform/lib/clock.ts";
import { logDropped, type Log } from "../../platform/lib/log.ts";
import type { Needs } from "../../platform/lib/needs.ts";
import type { DnsClient, QueryOptions, ResolverCheck } from "../../platform/network/dns/dns-client.ts";
import { problemOfResolvers } from "./scan-error.ts";

/** Whether the resolvers can be trusted, from checks at intervals and before each scan. */
export type ResolverHealth = ReturnType<typeof createResolverHealth>;

export interface ResolverState {
  at: Instant;
  checks: readonly ResolverCheck[];
  /** Why no look-alike can be resolved; null if a resolver can be trusted. */
  problem: string | null;
}

/** Leaves the start to more urgent work. */
const firstCheckMs = 10_000;
const intervalMs = 15 * 60_000;
/** While no resolver can be trusted, so that the alert ends soon after the problem. */
const problemIntervalMs = 60_000;

/** @param isUsed returns whether names are looked up in the background */
export function createResolverHealth(
  dependencies: Needs<"clock" | "log"> & { dns: Pick<DnsClient, "checkResolvers">; isUsed: () => boolean },
) {
  const { clock, dns, isUsed, log } = dependencies;
  let latest: ResolverState | undefined;
  let timer: Timer | undefined;
  const stopping = new AbortController();

  /** Checks the resolvers now. Logs the resolvers that cannot be trusted when that has changed. */
  async function check({ signal }: QueryOptions = {}): Promise<ResolverCheck[]> {
    const checks = await dns.checkResolvers({ signal });
    if (signal?.aborted === true) return checks;
    const before = latest;
    latest = { at: clock.now(), checks, problem: problemOfResolvers(checks)?.message ?? null };
    logChange(log, before, latest);
    return checks;
  }

  function schedule(delayMs: number): void {
    timer = clock.after(delayMs, () => void checkAgain());
  }

  async function checkAgain(): Promise<void> {
    try {
      if (isUsed()) await check({ signal: stopping.signal });
    } catch (error) {
      logDropped(log, error, "resolvers.check_failed");
    }
    const nextMs = (latest?.problem ?? null) === null ? intervalMs : problemIntervalMs;
    if (!stopping.signal.aborted) schedule(nextMs);
  }

  return {
    /** Starts the checks at intervals, which do nothing unless names are looked up in the background. */
    start: () => schedule(firstCheckMs),

    /** Makes the next check due now, because the resolvers have changed. */
    checkSoon() {
      if (timer === undefined) return;
      timer.cancel();
      schedule(0);
    },
    stop() {
      stopping.abort();
      timer?.cancel();
    },
    check,

    /** Returns the latest result; undefined before the first one. */
    latest: () => latest,
  };
}

/** One line for each change, and none for a state that goes on. */
function logChange(log: Log, before: ResolverState | undefined, { checks, problem }: ResolverState): void {
  if (problem !== null) {
    if ((before?.problem ?? null) === null) log.event("resolvers.unusable", { reason: problem });
    return;
  }
  if (before !== undefined && before.problem !== null) log.event("resolvers.recovered");
  const addressOf = ({ server }: ResolverCheck) => `${server.address}:${server.port}`;
  const known = new Set(before?.checks.map((one) => `${addressOf(one)} ${one.verdict}`));
  for (const one of checks) {
    const resolver = addressOf(one);
    if (one.verdict === "honest" || known.has(`${resolver} ${one.verdict}`)) continue;
    log.event("resolver.excluded", { resolver, verdict: one.verdict, detail: one.detail });
  }
}

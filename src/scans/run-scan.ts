import type { Database } from "../database/database.ts";
import type { ProtectedDomain, ProtectedDomains } from "../domains/domains.ts";
import type { Clock, Timer } from "../lib/clock.ts";
import type { Yielder } from "../lib/yielder.ts";
import type { LookUpExistence } from "../lookups/dns/existence.ts";
import type { DnsClient } from "../network/dns/dns-client.ts";
import type { Threats } from "../threats/threats.ts";
import { generateLookAlikes } from "./generate.ts";
import { createScanRecorder, type ScanWatcher } from "./scan-recorder.ts";
import type { ScanStore } from "./store.ts";

export interface ScanDependencies {
  database: Database;
  clock: Clock;
  domains: ProtectedDomains;
  threats: Threats;
  dns: Pick<DnsClient, "checkResolvers">;
  lookUp: LookUpExistence;
  /** Makes a yielder for one scan. */
  yielder: () => Yielder;
  minSimilarity: number;
  queriesPerSecond: number;
}

/** The scan cannot run; the message says what to change. */
export class ScanError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ScanError";
  }
}

/**
 * Expected duration of a lookup. It determines the number of concurrent lookups, which should use up the queries per
 * second but not more: further ones would only wait for each other.
 */
const lookupSeconds = 0.5;
const concurrentLookupsMin = 8;
const concurrentLookupsMax = 128;
const recordIntervalMs = 1_000;

/**
 * Looks up the look-alikes of `targets` and records those that exist together with the counts, batch by batch: a scan
 * that is interrupted keeps its results. Resolves when everything is recorded.
 * @throws ScanError, or the database's error.
 */
export async function runScan(
  { dns, lookUp, yielder: createYielder, minSimilarity, queriesPerSecond, ...dependencies }: ScanDependencies,
  {
    id,
    store,
    targets,
    limit,
    cancelling,
    watcher,
  }: {
    id: string;
    store: ScanStore;
    targets: readonly ProtectedDomain[];
    limit?: number | undefined;
    /** Cancels the scan; also aborted here when another process requests it through the database. */
    cancelling: AbortController;
    watcher: ScanWatcher;
  },
): Promise<void> {
  const { signal } = cancelling;
  const yielder = createYielder();
  const recorder = createScanRecorder({
    ...dependencies,
    store,
    id,
    targets: new Set(targets.map(({ domain }) => domain)),
    watcher,
    cancel: () => cancelling.abort(),
  });
  /** Aborted with the first error, which stops the lookups of all workers. */
  const failing = new AbortController();
  const ending = AbortSignal.any([signal, failing.signal]);

  async function lookUpAll(names: Iterator<string>): Promise<void> {
    for (let next = names.next(); next.done !== true && !ending.aborted; next = names.next()) {
      const existence = await lookUp(next.value, { signal: ending });
      // The result of an aborted lookup means nothing.
      if (ending.aborted) return;
      recorder.add(next.value, existence);
      if (yielder.due()) await yielder.pause();
    }
  }

  // Started before anything else, because this is also how a requested end is noticed.
  const stopRecording = repeat(dependencies.clock, recorder.flush, (error) => failing.abort(error));
  try {
    await requireHonestResolver(dns, signal);
    const names = await generateLookAlikes(targets, { minSimilarity, limit, yielder, signal });
    recorder.plan(names.length);
    const iterator = names.values();
    const workers = Array.from({ length: concurrentLookups(queriesPerSecond) }, () =>
      lookUpAll(iterator).catch((error: unknown) => failing.abort(error)),
    );
    await Promise.all(workers);
  } finally {
    stopRecording();
  }
  // Results that precede a failure are kept.
  recorder.flush();
  if (failing.signal.aborted) throw failing.signal.reason;
}

function concurrentLookups(queriesPerSecond: number): number {
  const wanted = Math.ceil(queriesPerSecond * lookupSeconds);
  return Math.min(concurrentLookupsMax, Math.max(concurrentLookupsMin, wanted));
}

/** Calls `work` at the recording interval until it fails or the returned function is called. */
function repeat(clock: Clock, work: () => void, onError: (error: unknown) => void): () => void {
  let timer: Timer;
  const schedule = () => {
    timer = clock.after(recordIntervalMs, () => {
      try {
        work();
        schedule();
      } catch (error) {
        onError(error);
      }
    });
  };
  schedule();
  return () => timer.cancel();
}

/** Without an honest resolver, every name would seem to exist, or none. */
async function requireHonestResolver(
  dns: Pick<DnsClient, "checkResolvers">,
  signal: AbortSignal,
): Promise<void> {
  const checks = await dns.checkResolvers({ signal });
  if (signal.aborted || checks.some(({ verdict }) => verdict === "honest")) return;
  const details = checks
    .map(({ server, detail }) => `${server.address}:${server.port}: ${detail}`)
    .join("; ");
  const isLying = checks.some(({ verdict }) => verdict === "lying");
  throw new ScanError(
    isLying
      ? `no resolver says when a name does not exist (${details}); set scan.resolvers to one that does`
      : `no resolver responds (${details || "none is known"}); set scan.resolvers to one that does`,
  );
}

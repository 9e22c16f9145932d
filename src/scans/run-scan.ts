import type { Database } from "../database/database.ts";
import type { ProtectedDomain, ProtectedDomains } from "../domains/domains.ts";
import type { Existence, LookUpExistence } from "../lookups/dns/existence.ts";
import type { Clock, Timer } from "../lib/clock.ts";
import type { Pacer } from "../lib/pacer.ts";
import type { DnsClient } from "../network/dns/dns-client.ts";
import type { RecordedThreat, Sighting } from "../threats/record.ts";
import type { Threats } from "../threats/threats.ts";
import { collectLookAlikes } from "./look-alikes.ts";
import type { ScanStore } from "./store.ts";
import type { ScanCounts } from "./tables.ts";

/** A look-alike that exists, as it was recorded. */
export interface Found extends RecordedThreat {
  existence: Existence;
}

export interface ScanWatcher {
  onProgress?: ((counts: Readonly<ScanCounts>) => void) | undefined;
  /** Called after the transaction that recorded the threat. */
  onFound?: ((found: Found) => void) | undefined;
}

export interface ScanDependencies {
  database: Database;
  clock: Clock;
  domains: ProtectedDomains;
  threats: Threats;
  dns: Pick<DnsClient, "checkResolvers">;
  lookUp: LookUpExistence;
  /** Makes a pacer for one scan. */
  pacer: () => Pacer;
  minSimilarity: number;
  queriesPerSecond: number;
}

/** The scan cannot be carried out; the message says what to change. */
export class ScanError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ScanError";
  }
}

/**
 * Enough look-ups at once to use up the queries of a second where an answer takes half a second. Not more, for
 * each question waits for its turn behind those of all the others.
 */
const answerSeconds = 0.5;
const lookUpsMin = 8;
const lookUpsMax = 128;
const recordedEachMs = 1_000;
/** So many names at most are recorded in one transaction: some 10 ms, in which nobody else can write. */
const namesPerTransaction = 50;

/**
 * Looks up the look-alikes of `targets` and records those that exist, batch by batch with the counts: what was
 * found up to an end before the end is kept. Answers when all is recorded; throws ScanError, or what the
 * database throws.
 */
export async function runScan(
  {
    database,
    clock,
    domains,
    threats,
    dns,
    lookUp,
    pacer,
    minSimilarity,
    queriesPerSecond,
  }: ScanDependencies,
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
    /** Ends the scan; aborted here too, when somebody asks for it through the database. */
    cancelling: AbortController;
    watcher: ScanWatcher;
  },
): Promise<void> {
  const { signal } = cancelling;
  const wanted = new Set(targets.map(({ domain }) => domain));
  const pace = pacer();
  const lookUpsAtOnce = Math.min(
    lookUpsMax,
    Math.max(lookUpsMin, Math.ceil(queriesPerSecond * answerSeconds)),
  );
  const counts: ScanCounts = {
    planned: 0,
    candidates: 0,
    resolving: 0,
    unknown: 0,
    threatsFound: 0,
    threatsCreated: 0,
  };
  let pending: { name: string; existence: Existence }[] = [];
  let timer: Timer | undefined;
  const failing = new AbortController();
  const ending = AbortSignal.any([signal, failing.signal]);

  function record(): void {
    const batch = pending;
    if (batch.length === 0) return note();
    const before = { ...counts };
    let found: RecordedThreat[];
    try {
      found = database.transaction(() => {
        const recorded = threats.record(batch.flatMap(sightingsOf));
        counts.threatsFound += recorded.length;
        counts.threatsCreated += recorded.filter(({ outcome }) => outcome === "created").length;
        note();
        return recorded;
      });
    } catch (error) {
      Object.assign(counts, before);
      throw error;
    }
    pending = [];
    const existences = new Map(batch.map(({ name, existence }) => [name, existence]));
    for (const threat of found) watcher.onFound?.({ ...threat, existence: existences.get(threat.domain)! });
  }

  function note(): void {
    if (store.note(id, counts).cancelRequested) cancelling.abort();
    watcher.onProgress?.(counts);
  }

  function sightingsOf({ name }: { name: string }): Sighting[] {
    const seenAt = clock.now();
    return domains
      .matcher()
      .match(name)
      .filter(({ protectedDomain: of }) => wanted.has(of) && domains.find(of) !== undefined)
      .map((match) => ({ domain: name, match, source: "scan", seenAt }));
  }

  /** What goes wrong here ends the scan as if it had gone wrong in a look-up. */
  function recordRegularly(): void {
    timer = clock.after(recordedEachMs, () => {
      try {
        record();
        recordRegularly();
      } catch (error) {
        failing.abort(error);
      }
    });
  }

  async function lookUpNext(names: Iterator<string>): Promise<void> {
    for (let next = names.next(); next.done !== true && !ending.aborted; next = names.next()) {
      const existence = await lookUp(next.value, { signal: ending });
      // A look-up that was broken off says nothing.
      if (ending.aborted) return;
      counts.candidates++;
      if (existence.exists === "unknown") counts.unknown++;
      else if (existence.exists === "yes" && !existence.wildcard) {
        counts.resolving++;
        pending.push({ name: next.value, existence });
        if (pending.length >= namesPerTransaction) record();
      }
      watcher.onProgress?.(counts);
      if (pace.due()) await pace.pause();
    }
  }

  // From the beginning, for this is also how somebody's wish to end it is noticed.
  recordRegularly();
  try {
    await checkResolvers(dns, signal);
    const names = await collectLookAlikes(targets, { minSimilarity, limit, pacer: pace, signal });
    counts.planned = names.length;
    const iterator = names.values();
    await Promise.all(
      Array.from({ length: lookUpsAtOnce }, () =>
        lookUpNext(iterator).catch((error: unknown) => failing.abort(error)),
      ),
    );
  } finally {
    timer?.cancel();
  }
  // What was found before something failed is kept.
  record();
  if (failing.signal.aborted) throw failing.signal.reason;
}

/** With nobody honest to ask, every name would seem to exist, or none. */
async function checkResolvers(dns: Pick<DnsClient, "checkResolvers">, signal: AbortSignal): Promise<void> {
  const checks = await dns.checkResolvers({ signal });
  if (signal.aborted || checks.some(({ verdict }) => verdict === "honest")) return;
  const told = checks.map(({ server, detail }) => `${server.address}:${server.port}: ${detail}`).join("; ");
  const lying = checks.some(({ verdict }) => verdict === "lying");
  throw new ScanError(
    lying
      ? `no resolver says when a name does not exist (${told}); set scan.resolvers to one that does`
      : `no resolver answers (${told || "none is known"}); set scan.resolvers to one that does`,
  );
}

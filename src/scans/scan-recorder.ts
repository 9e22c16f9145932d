import type { Database } from "../database/database.ts";
import type { ProtectedDomains } from "../domains/domains.ts";
import type { Clock } from "../lib/clock.ts";
import type { Existence } from "../lookups/dns/existence.ts";
import type { RecordedThreat, Sighting } from "../threats/record.ts";
import type { Threats } from "../threats/threats.ts";
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

/** Counts the lookups of one scan and records the look-alikes that exist as threats, in batches. */
export interface ScanRecorder {
  /** Sets the number of look-alikes to look up. */
  plan(total: number): void;
  /** Counts a lookup, and enqueues the name if it exists. */
  add(name: string, existence: Existence): void;
  /** Records the enqueued names and the counts in one transaction. */
  flush(): void;
}

/** Maximum number of names per transaction: about 10 ms in which nobody else can write. */
const namesPerTransactionMax = 50;

export function createScanRecorder({
  database,
  clock,
  domains,
  threats,
  store,
  id,
  targets,
  watcher,
  cancel,
}: {
  database: Database;
  clock: Clock;
  domains: ProtectedDomains;
  threats: Pick<Threats, "record">;
  store: ScanStore;
  id: string;
  /** Protected domains whose look-alikes are recorded. */
  targets: ReadonlySet<string>;
  watcher: ScanWatcher;
  /** Called when another process has requested the scan's end. */
  cancel: () => void;
}): ScanRecorder {
  const counts: ScanCounts = {
    planned: 0,
    candidates: 0,
    resolving: 0,
    unknown: 0,
    threatsFound: 0,
    threatsCreated: 0,
  };
  let pending: { name: string; existence: Existence }[] = [];

  function saveCounts(): void {
    if (store.saveCounts(id, counts).cancelRequested) cancel();
    watcher.onProgress?.(counts);
  }

  function flush(): void {
    const batch = pending;
    if (batch.length === 0) return saveCounts();
    const before = { ...counts };
    let found: RecordedThreat[];
    try {
      found = database.transaction(() => {
        const recorded = threats.record(batch.flatMap(sightingsOf));
        counts.threatsFound += recorded.length;
        counts.threatsCreated += recorded.filter(({ outcome }) => outcome === "created").length;
        saveCounts();
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

  function sightingsOf({ name }: { name: string }): Sighting[] {
    const seenAt = clock.now();
    const scanSeq = store.get(id)?.seq;
    return domains
      .matcher()
      .match(name)
      .filter(
        ({ protectedDomain }) => targets.has(protectedDomain) && domains.find(protectedDomain) !== undefined,
      )
      .map((match) => ({ domain: name, match, source: "scan", scanSeq, seenAt }));
  }

  return {
    plan: (total) => void (counts.planned = total),
    add(name, existence) {
      counts.candidates++;
      if (existence.exists === "unknown") counts.unknown++;
      else if (existence.exists === "yes" && !existence.wildcard) {
        counts.resolving++;
        pending.push({ name, existence });
        if (pending.length >= namesPerTransactionMax) flush();
      }
      watcher.onProgress?.(counts);
    },
    flush,
  };
}

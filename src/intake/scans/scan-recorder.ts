import { type Archive, nameLines } from "../../engines/archive/archive.ts";
import type { Needs } from "../../platform/database/needs.ts";
import type { ProtectedDomains } from "../../threats/domains/domains.ts";
import type { Existence } from "../../facts/lookups/dns/existence.ts";
import type { ActivityCounts, SourceActivity } from "../sources/activity/source-activity.ts";
import type { RecordedThreat, Sighting } from "../../threats/threats/record.ts";
import type { Threats } from "../../threats/threats/threats.ts";
import type { ScanStore } from "./store.ts";
import type { ScanCounts } from "./tables.ts";

/** A look-alike that exists, as it was recorded. */
export interface Found extends RecordedThreat {
  existence: Existence;
}

/** Saves what DNS says about threats that a scan found. Called with all threats that were recorded at once. */
export type SaveFacts = (found: readonly Found[]) => Promise<void>;

export interface ScanWatcher {
  onProgress?: ((counts: Readonly<ScanCounts>) => void) | undefined;
  /** Called when the threat is recorded with its facts. */
  onFound?: ((found: Found) => void) | undefined;
}

/** Maximum number of names per transaction: about 10 ms in which no other write can run. */
const namesPerTransactionMax = 50;

/** Origin of the names that scans find. */
const scanOrigin = { kind: "scan", name: "scans" };

const noCounts: ScanCounts = {
  planned: 0,
  candidates: 0,
  resolving: 0,
  unknown: 0,
  threatsFound: 0,
  threatsCreated: 0,
};

/** Dependencies of what a scan records. */
export interface ScanRecords extends Needs<"clock" | "database"> {
  activity: Pick<SourceActivity, "add">;
  archive: Pick<Archive, "add" | "flush">;
  domains: ProtectedDomains;
  threats: Threats;
  /** Saves what DNS says about threats. */
  saveFacts: SaveFacts;
}

interface ScanRecorderDependencies extends ScanRecords {
  store: ScanStore;
  id: string;
  /** Protected domains whose look-alikes are recorded. */
  targets: ReadonlySet<string>;
  watcher: ScanWatcher;
  /** Called when another process has requested the scan's end. */
  cancel: () => void;
}

/** Counts the lookups of one scan and records the look-alikes that exist as threats, in batches. */
export function createScanRecorder(dependencies: ScanRecorderDependencies) {
  const { activity, archive, clock, database, domains, store, threats } = dependencies;
  const { cancel, id, saveFacts, targets, watcher } = dependencies;
  const counts: ScanCounts = { ...noCounts };
  /** Counts that the statistics of sources contain. */
  let counted: ScanCounts = noCounts;
  const pending: { name: string; existence: Existence }[] = [];
  /** Ends when the batches so far are recorded with their facts. Batches are recorded one after another. */
  let flushed: Promise<void> = Promise.resolve();

  function flushBatch(): Promise<void> {
    const turn = flushed.then(recordBatch);
    flushed = turn.catch(() => {});
    return turn;
  }

  /** Records some of the enqueued names and the counts in one transaction. */
  async function recordBatch(): Promise<void> {
    const batch = pending.splice(0, namesPerTransactionMax);
    archive.add(nameLines(batch.map(({ name }) => name)), { source: "scan", seenAt: clock.now() });
    await archive.flush();
    const { found, reached } = await database.write(
      () => {
        const recorded = threats.record(batch.flatMap(sightingsOf));
        const current = withFound(counts, recorded);
        if (store.saveCounts(id, current).cancelRequested) cancel();
        activity.add(scanOrigin, difference(current, counted));
        return { found: recorded, reached: current };
      },
      // A power cut that loses only the counts loses the scan too.
      { patient: true, relaxed: batch.length === 0 },
    );
    Object.assign(counts, withFound(counts, found));
    counted = reached;
    watcher.onProgress?.(counts);
    const existences = new Map(batch.map(({ name, existence }) => [name, existence]));
    const existing = found.map((threat) => ({ ...threat, existence: existences.get(threat.domain)! }));
    await saveFacts(existing);
    for (const threat of existing) watcher.onFound?.(threat);
  }

  function sightingsOf({ name }: { name: string }): Sighting[] {
    const seenAt = clock.now();
    const scanSeq = store.get(id)?.seq;
    const isTarget = (domain: string) => targets.has(domain) && domains.find(domain) !== undefined;
    const matches = domains.matcher().match(name);
    return matches
      .filter(({ protectedDomain }) => isTarget(protectedDomain))
      .map((match) => ({ domain: name, match, source: "scan", scanSeq, seenAt }));
  }

  return {
    /** Sets the number of look-alikes to look up. */
    plan: (total: number) => void (counts.planned = total),
    /** Counts a lookup, and enqueues the name if it exists. Resolves when there is room for more. */
    async add(name: string, existence: Existence): Promise<void> {
      counts.candidates++;
      if (existence.exists === "unknown") counts.unknown++;
      else if (existence.exists === "yes" && !existence.wildcard) {
        counts.resolving++;
        pending.push({ name, existence });
      }
      watcher.onProgress?.(counts);
      if (pending.length >= namesPerTransactionMax) await flushBatch();
    },
    /** Takes back the count of lookups that are repeated, which had denied their names. */
    retract: (lookups: number) => void (counts.candidates -= lookups),
    /** Records the enqueued names and the counts. Resolves when everything found so far has its facts. */
    async flush(): Promise<void> {
      do await flushBatch();
      while (pending.length > 0);
    },
    counts: (): Readonly<ScanCounts> => counts,
  };
}

function withFound(counts: ScanCounts, found: readonly RecordedThreat[]): ScanCounts {
  const created = found.filter(({ outcome }) => outcome === "created").length;
  const { threatsFound, threatsCreated } = counts;
  return { ...counts, threatsFound: threatsFound + found.length, threatsCreated: threatsCreated + created };
}

/** Returns what was added since `before`; negative where lookups were retracted. */
function difference(now: ScanCounts, before: ScanCounts): ActivityCounts {
  return {
    names: now.candidates - before.candidates,
    invalid: 0,
    matched: now.threatsFound - before.threatsFound,
    created: now.threatsCreated - before.threatsCreated,
  };
}

import type { Archive } from "../../../engines/archive/archive.ts";
import type { DetectionSettings } from "../../../platform/config/config.ts";
import type { Database } from "../../../platform/database/database.ts";
import type { ProtectedDomain } from "../../../threats/domains/tables.ts";
import type { Clock } from "../../../platform/lib/clock.ts";
import type { RecordedThreat } from "../../../threats/threats/record.ts";
import type { Tally } from "../tally.ts";
import type { Candidates } from "../candidates.ts";
import { createScreener } from "../name-files/screener.ts";
import { startScreeningThread } from "../name-files/screening-thread.ts";

import type { StartWorker } from "../../../platform/vocabulary/threads.ts";
import type { CheckStore } from "./check-store.ts";
import { screenedBlocks, type CheckPosition } from "./screened-blocks.ts";
import type { ArchiveCheck } from "./tables.ts";

/** Maximum number of threats of a domain that are counted once although several names or days show them. */
const distinctMax = 100_000;
/** Blocks that the thread screens ahead: a few megabytes. */
const blocksAheadMax = 4;

/** One reading of the archive for some protected domains. */
export type CheckPass = ReturnType<typeof createCheckPass>;

export interface PassDependencies {
  archive: Pick<Archive, "read">;
  candidates: Pick<Candidates, "process">;
  clock: Clock;
  database: Pick<Database, "write" | "afterCommit">;
  detection: Pick<DetectionSettings, "minSimilarity">;
  store: CheckStore;
  /** Starts a thread that prefilters names; undefined: this thread does it, between other work. */
  startWorker: StartWorker | undefined;
}

/**
 * @param targets the domains to check
 * @param begun their checks, in the same order, all at the same position
 */
export function createCheckPass(
  { archive, candidates, clock, database, detection, startWorker, store }: PassDependencies,
  targets: readonly ProtectedDomain[],
  begun: readonly ArchiveCheck[],
) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const threatsFound = targets.map(() => new Set<string>());
  let saved = begun;
  let received = 0;

  /** Counts what was recorded since the last save. */
  function advance(tally: Readonly<Tally>, recorded: readonly RecordedThreat[]): ArchiveCheck[] {
    return saved.map((check, index) => {
      const { domain } = targets[index]!;
      const own = recorded.filter(({ protectedDomain }) => protectedDomain === domain);
      const distinct = threatsFound[index]!;
      const before = distinct.size;
      for (const { threatId } of own) if (distinct.size < distinctMax) distinct.add(threatId);
      return {
        ...check,
        namesChecked: begun[index]!.namesChecked + tally.received,
        found: check.found + distinct.size - before,
        created: check.created + own.filter(({ outcome }) => outcome === "created").length,
      };
    });
  }

  /** Saves the checks of the domains that still need them. */
  function save(checks: readonly ArchiveCheck[]): void {
    const present = new Map(store.domains().map((one) => [one.seq, one.widenings]));
    for (const check of checks)
      if (present.get(check.protectedDomainSeq) === check.widenings) store.save(check);
    database.afterCommit(() => void (saved = checks));
  }

  async function openScreen() {
    const [{ createMatcher }, { createFilter }] = await Promise.all([
      import("../../../engines/detection/match/matcher.ts"),
      import("../../../engines/detection/filter/filter.ts"),
    ]);
    const tables = createMatcher(targets, { minSimilarity: detection.minSimilarity }).screeningTables();
    const format = { format: "lines" } as const;
    if (startWorker === undefined)
      return {
        screen: createScreener(format, createFilter(tables)),
        blocksAheadMax: 0,
        end: async () => {},
      };
    const { screen, end } = startScreeningThread(startWorker(), { format, tables });
    return { screen, blocksAheadMax, end };
  }

  /** Returns whether all names were checked: false if it was stopped. */
  async function run(): Promise<boolean> {
    const { end, ...screening } = await openScreen();
    const start: CheckPosition = begun[0]!.position;
    try {
      await candidates.process(screenedBlocks({ archive, start, signal, ...screening }), {
        // The blocks say who saw the names.
        source: "feed",
        origin: null,
        within: targets.map(({ domain }) => domain),
        signal,
        onCommit: (position, tally, recorded) =>
          save(advance(tally, recorded).map((check) => ({ ...check, position }))),
        onProgress: (tally) => void (received = tally.received),
      });
      if (signal.aborted) return false;
      const completed = { state: "completed", position: null, completedAt: clock.now() } as const;
      await database.write(() => save(saved.map((check) => ({ ...check, ...completed }))), { patient: true });
      return true;
    } finally {
      await end();
    }
  }

  return {
    /** The checks with their present counts. */
    checks: (): readonly ArchiveCheck[] =>
      saved.map((check, index) => ({ ...check, namesChecked: begun[index]!.namesChecked + received })),

    /** Stops at the next yield; everything up to the last saved position is kept. */
    stop: () => stopping.abort(),
    run,
  };
}

import type { Archive, ArchiveBlock, ArchivePosition } from "../../../engines/archive/archive.ts";
import type { ProtectedDomains } from "../../../threats/domains/domains.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import { messageOf } from "../../../platform/lib/errors.ts";
import { logDropped, type Log } from "../../../platform/lib/log.ts";
import { sumOf } from "../../../platform/lib/sums.ts";
import type { CheckedDomain, CheckStore } from "./check-store.ts";
import type { ArchiveCheck } from "./tables.ts";
import type { DetectionSettings } from "../../../platform/config/config.ts";
import type { ProtectedDomain } from "../../../threats/domains/tables.ts";
import type { RecordedThreat } from "../../../threats/threats/record.ts";
import type { Tally } from "../tally.ts";
import type { Candidates } from "../candidates.ts";
import type { SourceNeeds } from "../needs.ts";
import { createScreener, type ScreenedChunk, type WholeLines } from "../name-files/screener.ts";
import { startScreeningThread } from "../name-files/screening.ts";
import { batchOfChunk } from "../name-file-formats/name-chunk.ts";
import type { NameBatch } from "../name-batch.ts";

const errorCharactersMax = 300;

interface CheckRunnerDependencies extends Omit<PassDependencies, "archive">, SourceNeeds<"log"> {
  archive: Pick<Archive, "extent" | "flush" | "read">;
  domains: Pick<ProtectedDomains, "list">;
}

export function createCheckRunner({ domains, log, ...dependencies }: CheckRunnerDependencies) {
  const { archive, clock, database, store } = dependencies;
  let pass: CheckPass | undefined;

  function save(checks: readonly ArchiveCheck[]): Promise<void> {
    const work = () => {
      const present = new Set(store.domains().map(({ seq }) => seq));
      for (const check of checks) if (present.has(check.protectedDomainSeq)) store.save(check);
    };
    return database.write(work, { patient: true });
  }

  async function runPass(begun: readonly ArchiveCheck[]): Promise<void> {
    const checkOf = new Map(begun.map((check) => [check.protectedDomainSeq, check]));
    const targets = domains.list().filter(({ seq }) => checkOf.has(seq));
    // One was deleted since: the others are due again.
    if (targets.length < begun.length) return;
    const startedMs = clock.monotonicMs();
    const checks = targets.map(({ seq }) => checkOf.get(seq)!);
    pass = createCheckPass(dependencies, targets, checks);
    try {
      if (!(await pass.run())) return;
      const names = targets.map(({ domain }) => domain);
      logCompleted(log, names, pass.checks(), Math.round(clock.monotonicMs() - startedMs));
    } catch (error) {
      const failed = { state: "failed", error: messageOf(error).slice(0, errorCharactersMax) } as const;
      await save(pass.checks().map((check) => ({ ...check, ...failed }))).catch((dropped: unknown) =>
        logDropped(log, dropped, "archive_check.failure_not_recorded"),
      );
      throw error;
    } finally {
      pass = undefined;
    }
  }

  return {
    /**
     * Runs one pass for domains that need a check. Returns false if there was none.
     * @throws the error that ended the pass; it is recorded
     */
    async runNext() {
      const due = nextOf(store.domains().filter(isDue));
      if (due.length === 0) return false;
      await archive.flush();
      const { names } = await archive.extent();
      const begun = due.map((one) => beginCheck(one, { names, at: clock.now() }));
      await save(begun);
      // An empty archive needs no check, as at the first start of nearly every appliance.
      if (names > 0) await runPass(begun);
      return true;
    },

    /** Returns the checks in progress with their present counts. */
    running: (): readonly ArchiveCheck[] => pass?.checks() ?? [],

    /** Stops the pass if it is no longer right: one of its domains was removed or changed. Never throws. */
    stopOutdated() {
      try {
        if (pass !== undefined && isOutdated(pass.checks(), store.domains())) pass.stop();
      } catch (error) {
        logDropped(log, error, "archive_check.changes_not_read");
      }
    },

    /** Stops the pass at its next yield. */
    stop: () => pass?.stop(),
  };
}

function isDue({ widenings, check }: CheckedDomain): boolean {
  return check === null || check.widenings !== widenings || check.state !== "completed";
}

/** Returns the domains to check next: an interrupted pass continues, or else all start together. */
function nextOf(due: readonly CheckedDomain[]): readonly CheckedDomain[] {
  const begun = due.filter(
    ({ widenings, check }) => check?.widenings === widenings && check.position !== null,
  );
  const [first] = begun;
  return first === undefined ? due : begun.filter(({ check }) => check!.position === first.check!.position);
}

function beginCheck(
  { seq, widenings, check }: CheckedDomain,
  { names, at }: { names: number; at: Instant },
): ArchiveCheck {
  const isResumed = check?.widenings === widenings && check.position !== null && names > 0;
  if (isResumed) return { ...check, state: "running", error: null };
  return {
    protectedDomainSeq: seq,
    widenings,
    state: names === 0 ? "completed" : "running",
    position: null,
    namesTotal: names,
    namesChecked: 0,
    found: 0,
    created: 0,
    startedAt: at,
    completedAt: names === 0 ? at : null,
    error: null,
  };
}

function isOutdated(checks: readonly ArchiveCheck[], present: readonly CheckedDomain[]): boolean {
  const widenings = new Map(present.map((one) => [one.seq, one.widenings]));
  return checks.some((check) => widenings.get(check.protectedDomainSeq) !== check.widenings);
}

function logCompleted(
  log: Log,
  domains: readonly string[],
  checks: readonly ArchiveCheck[],
  durationMs: number,
): void {
  const { namesChecked: names } = checks[0]!;
  log.event("archive_check.finished", { domains, names, ...sumOf(checks, "found", "created"), durationMs });
}

/** Maximum number of threats of a domain that are counted once although several names or days show them. */
const distinctMax = 100_000;
/** Blocks that the thread screens ahead: a few megabytes. */
const blocksAheadMax = 4;

/** One reading of the archive for some protected domains. */
type CheckPass = ReturnType<typeof createCheckPass>;

interface PassDependencies extends SourceNeeds<"clock" | "database" | "startWorker"> {
  archive: Pick<Archive, "read">;
  candidates: Pick<Candidates, "process">;
  detection: Pick<DetectionSettings, "minSimilarity">;
  store: CheckStore;
}

/**
 * @param targets the domains to check
 * @param begun their checks, in the same order, all at the same position
 */
function createCheckPass(
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
        aheadMax: 0,
        end: async () => {},
      };
    const { screen, end } = startScreeningThread(startWorker(), { format, tables });
    return { screen, aheadMax: blocksAheadMax, end };
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

/** Where a check of the archive resumes; null: at its start. */
type CheckPosition = ArchivePosition | null;

interface ScreenedBlocksOptions {
  archive: Pick<Archive, "read">;
  start: CheckPosition;
  screen: (lines: WholeLines) => ScreenedChunk | Promise<ScreenedChunk>;
  /** Blocks that are screened while earlier ones are classified. Each has some 10,000 names. */
  aheadMax: number;
  signal: AbortSignal;
}

/**
 * Reads the archive and yields the names that may match, block by block, with the day and the source of each.
 * @param screen drops the names that cannot match; results are needed in the order of the calls.
 */
async function* screenedBlocks(options: ScreenedBlocksOptions): AsyncGenerator<NameBatch<CheckPosition>> {
  const { archive, start, screen, aheadMax, signal } = options;
  const inWork: { block: Seen; screened: ScreenedChunk | Promise<ScreenedChunk> }[] = [];
  let reached = start;
  const next = async (): Promise<NameBatch<CheckPosition>> => {
    const { block, screened } = inWork.shift()!;
    const batch = batchOfBlock(block, await screened, reached);
    reached = block.position;
    return batch;
  };
  for await (const { day, source, position, names } of archive.read({ start: start ?? undefined, signal })) {
    // The block is only valid until the next one is requested.
    const bytes = new Uint8Array(names);
    const screened = screen({ bytes, length: bytes.length });
    inWork.push({ block: { day, source, position }, screened });
    if (inWork.length > aheadMax) yield await next();
  }
  while (inWork.length > 0) yield await next();
}

type Seen = Pick<ArchiveBlock, "day" | "source" | "position">;

function batchOfBlock(
  { day, source, position }: Seen,
  chunk: ScreenedChunk,
  start: CheckPosition,
): NameBatch<CheckPosition> {
  return {
    ...batchOfChunk(chunk),
    end: position,
    seen: { source, day },
    names: () => null,
    // A block is read again as a whole: what it contains is then on record.
    positionAfter: (index) => (index === chunk.count - 1 ? position : start),
  };
}

import type { Clock } from "../../platform/lib/clock.ts";
import type { RecordedThreat } from "../../threats/threats/record.ts";
import {
  startCandidateRun,
  type CandidateDependencies,
  type CandidateOptions,
  type CandidateRun,
  type Classified,
} from "./candidate-run.ts";
import type { NameBatch } from "./name-batch.ts";
import type { Tally } from "./tally.ts";

/** Number of names between two checks for waiting work. */
const namesPerCheck = 64;
/** Threats and position are committed after at most this many names, and after at most this much time. */
const namesPerCommitMax = 1 << 20;
const commitIntervalMsMax = 1_000;

/** A name, a link, an address, or several of them in a text; or the batches of something longer, such as an email. */
export type SubmittedItem = string | AsyncIterable<NameBatch<unknown>>;

/** Result of a submission: the names that matched, each once, in the order of first appearance. */
export interface Submission extends Tally {
  matches: { domain: string; threats: RecordedThreat[] }[];
}

export interface ProcessOptions<Position> extends CandidateOptions {
  /**
   * Stops the run at its next yield, or when the batches fail because of it; what was recorded stays. Batches that
   * may wait for names, or drop many, have to end with the same signal.
   */
  signal?: AbortSignal;
  /**
   * Called in each transaction that records threats. `position` is the one after the last processed name, and
   * `tally` covers everything up to there. A source that stores the position here misses no name after a crash.
   */
  onCommit?: (position: Position, tally: Readonly<Tally>, recorded: readonly RecordedThreat[]) => void;
  /** Called at each yield and after each batch, as the next batch may take long to arrive. */
  onProgress?: (tally: Readonly<Tally>) => void;
}

/** Checks names from any source for look-alikes, and records those as threats. */
export type Candidates = ReturnType<typeof createCandidates>;

export function createCandidates(dependencies: CandidateDependencies) {
  return {
    /** Processes a bounded number of items. If it fails in the middle, what was recorded before stays. */
    submit: (items: Iterable<SubmittedItem>, options: CandidateOptions) =>
      submitTo(startCandidateRun(dependencies, options), items),
    /** Processes the batches of a source, in constant memory. */
    process: <Position>(batches: AsyncIterable<NameBatch<Position>>, options: ProcessOptions<Position>) =>
      processWith(dependencies.clock, startCandidateRun(dependencies, options), batches, options),
  };
}

async function submitTo(run: CandidateRun, items: Iterable<SubmittedItem>): Promise<Submission> {
  const matches = new Map<string, RecordedThreat[]>();
  const record = async () => {
    for (const threat of await run.record({ patient: false })) {
      const reported = matches.get(threat.domain)!;
      // A name may be submitted twice, in one form or in several.
      if (!reported.some(({ threatId }) => threatId === threat.threatId)) reported.push(threat);
    }
  };
  const keep = async (found: readonly Classified[]) => {
    for (const { name } of found) if (!matches.has(name)) matches.set(name, []);
    if (run.isFull()) await record();
  };
  for (const item of items) {
    const number = ++run.tally.received;
    if (typeof item !== "string") {
      for await (const batch of item) {
        run.begin(batch);
        for (let i = 0; i < batch.count; i++) {
          await keep(run.take({ ...batch, line: () => number }, i));
          if (i % namesPerCheck === 0 && run.isPauseDue()) await run.pause();
        }
      }
    } else for (const entry of run.read(item, number)) await keep(run.classify(entry, item, number));
    if (number % namesPerCheck === 0 && run.isPauseDue()) await run.pause();
  }
  await record();
  return { ...run.tally, matches: [...matches].map(([domain, threats]) => ({ domain, threats })) };
}

async function processWith<Position>(
  clock: Clock,
  run: CandidateRun,
  batches: AsyncIterable<NameBatch<Position>>,
  { signal, onCommit, onProgress }: ProcessOptions<Position>,
): Promise<Tally> {
  const { tally } = run;
  let reached: { position: Position } | undefined;
  let committed = { received: 0, atMs: clock.monotonicMs() };
  const commit = async () => {
    if (reached === undefined) return;
    const { position } = reached;
    await run.record({ patient: true, alongside: (recorded) => onCommit?.(position, tally, recorded) });
    committed = { received: tally.received, atMs: clock.monotonicMs() };
  };

  /** Returns whether the run was stopped in the middle of the batch. */
  async function processBatch(batch: NameBatch<Position>): Promise<boolean> {
    for (let index = 0; index < batch.count; index++) {
      tally.received++;
      run.take(batch, index);
      const full = run.isFull();
      if (!full && (tally.received % namesPerCheck !== 0 || !run.isPauseDue())) continue;
      reached = { position: batch.positionAfter(index) };
      if (full) await commit();
      onProgress?.(tally);
      if (signal?.aborted === true) return true;
      await run.pause();
    }
    return false;
  }

  const iterator = batches[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { value: batch, done } = await next(iterator, commit, signal);
      if (done === true) break;
      run.begin(batch);
      tally.received += batch.dropped;
      if (await processBatch(batch)) break;
      reached = { position: batch.end };
      onProgress?.(tally);
      const isLate = clock.monotonicMs() - committed.atMs >= commitIntervalMsMax;
      if (isLate || tally.received - committed.received >= namesPerCommitMax) await commit();
      // Dropping names took time as well, and passed none of the checks above.
      if (batch.dropped === 0 || !run.isPauseDue()) continue;
      if (signal?.aborted === true) break;
      await run.pause();
    }
    await commit();
  } finally {
    await iterator.return?.(undefined);
  }
  return tally;
}

/**
 * Returns the next batch. If the source fails, the names before the failure are recorded first. A source that fails
 * because of the signal has ended.
 */
async function next<T>(
  iterator: AsyncIterator<T>,
  commit: () => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<IteratorResult<T>> {
  try {
    return await iterator.next();
  } catch (error) {
    await commit();
    if (signal?.aborted === true) return { done: true, value: undefined };
    throw error;
  }
}

import {
  LogError,
  type CertificateLog,
  type EntryBlock,
  type LogReader,
} from "../../../engines/certificate-transparency/log.ts";
import { createEntryScanner } from "../../../engines/certificate-transparency/entries/entry-scanner.ts";
import { createFilter } from "../../../engines/detection/filter/filter.ts";
import { delay, type Clock } from "../../../platform/lib/clock.ts";
import { backoffMs } from "../../../platform/lib/durations.ts";
import { messageOf } from "../../../platform/lib/errors.ts";
import { createLogFollower, type LogFollower } from "./follow-log.ts";
import type { FollowSettings, Instruction, LogProgress, Report, LogReport } from "./messages.ts";
import type { BufferedBytes } from "./read-ahead.ts";
import { createBlockScreen, passAll, type ScreenBlock, type VersionedScreen } from "./screen-block.ts";

/**
 * Memory of blocks that were processed is reclaimed after this many bytes, compressed and not. Left to the engine, which
 * knows little about memory outside of its heap, the garbage takes some 200 MiB at full speed.
 */
const reclaimBytes = 16 << 20;
const failureMsMin = 1_000;
const failureMsMax = 5 * 60_000;
/** A log that contradicts what it signed is read again after this time, and each time after twice as long. */
const mismatchMsMin = 5 * 60_000;
const mismatchMsMax = 4 * 3_600_000;

/** Follows logs as instructed. Runs in a thread of its own, or within the server's. */
export type Pipeline = ReturnType<typeof createPipeline>;

export interface PipelineDependencies {
  settings: FollowSettings;
  clock: Pick<Clock, "monotonicMs" | "after">;
  /** Returns a number from 0 to below 1. */
  random: () => number;
  /** @throws LogError if the log cannot be read */
  openReader: (log: CertificateLog) => LogReader;
  pollMs: (log: CertificateLog, unchangedPolls: number) => number;
  report: (report: Report) => void;
  /** Reclaims the memory of what is not used any more, in some milliseconds; undefined: the engine decides when. */
  reclaimMemory: (() => void) | undefined;
}

interface Follow {
  generation: number;
  abort: AbortController;
  ended: Promise<void>;
  outbox: Outbox;
}

export function createPipeline(dependencies: PipelineDependencies) {
  let screen: VersionedScreen | undefined;
  const buffered: BufferedBytes = { count: 0 };
  const slots = createBatchSlots();
  const follows = new Map<string, Follow>();
  const noteProcessed = createReclaim(dependencies.reclaimMemory);
  const readBlock = createBlockScreen({
    scanner: createEntryScanner(),
    current: () => screen ?? passAll,
  });
  const screenBlock: ScreenBlock = (block, range) => {
    const screened = readBlock(block, range);
    noteProcessed(block);
    return screened;
  };

  function follow(log: CertificateLog, generation: number, progress: LogProgress | null): void {
    const before = end(log.logId);
    const abort = new AbortController();
    const outbox = createOutbox({
      signal: abort.signal,
      slots,
      post: (report) => dependencies.report({ ...report, logId: log.logId, generation }),
    });
    const ended = before.then(() =>
      followUntilAborted({
        ...dependencies,
        log,
        progress,
        screen: screenBlock,
        buffered,
        send: outbox.send,
        signal: abort.signal,
      }),
    );
    follows.set(log.logId, { generation, abort, ended, outbox });
  }

  async function end(logId: string): Promise<void> {
    const running = follows.get(logId);
    follows.delete(logId);
    if (running === undefined) return;
    running.abort.abort();
    running.outbox.close();
    await running.ended;
  }

  return {
    receive(instruction: Instruction) {
      switch (instruction.do) {
        case "screen":
          screen = {
            version: instruction.version,
            screenNames: createFilter(instruction.tables).screenNames,
          };
          break;
        case "follow":
          follow(instruction.log, instruction.generation, instruction.progress);
          break;
        case "unfollow":
          void end(instruction.logId);
          break;
        case "acknowledge": {
          const running = follows.get(instruction.logId);
          if (running?.generation === instruction.generation) running.outbox.acknowledge();
        }
      }
    },

    /** Ends all requests. Resolves when nothing runs any more. */
    stop: async (): Promise<void> => void (await Promise.all([...follows.keys()].map(end))),
  };
}

/** Returns a function to call with each block that was processed. */
function createReclaim(reclaimMemory: (() => void) | undefined): (block: EntryBlock) => void {
  let bytes = 0;
  return (block) => {
    bytes += block.bytes.length + block.wireBytes;
    if (bytes < reclaimBytes) return;
    bytes = 0;
    reclaimMemory?.();
  };
}

type FollowOptions = Omit<PipelineDependencies, "report" | "reclaimMemory"> &
  Omit<Parameters<typeof createLogFollower>[0], "reader"> & { log: CertificateLog };

/** Reports failures, and tries again. Rejects only if a failure cannot be reported. */
async function followUntilAborted({ log, openReader, ...options }: FollowOptions): Promise<void> {
  const { clock, random, send, signal } = options;
  let reader: LogReader | undefined;
  let follower: LogFollower | undefined;
  let { progress } = options;
  let failures = 0;
  let mismatches = 0;
  try {
    while (!signal.aborted) {
      let waitMs: number | null;
      try {
        reader ??= openReader(log);
        follower ??= createLogFollower({ ...options, progress, reader });
        waitMs = await follower.round();
        await send({ report: "success" });
        failures = 0;
        mismatches = 0;
      } catch (error) {
        if (signal.aborted) break;
        const rewound =
          error instanceof LogError && error.kind === "mismatch" ? follower?.rewound() : undefined;
        if (rewound === undefined) {
          waitMs = retryMs(error, ++failures, random);
          await send({ report: "failure", message: messageOf(error) });
        } else {
          waitMs = backoffMs({ failures: ++mismatches, firstMs: mismatchMsMin, maxMs: mismatchMsMax });
          progress = rewound;
          follower = undefined;
          const message = messageOf(error);
          await send({ report: "mismatch", message, progress, retryMs: waitMs }).catch(() => {});
        }
      }
      if (waitMs === null) break;
      await delay(clock, waitMs, signal);
    }
  } finally {
    reader?.close();
  }
}

/** A reader that pauses says for how long. */
function retryMs(error: unknown, failures: number, random: () => number): number {
  if (error instanceof LogError && error.retryAfterMs !== null) return error.retryAfterMs;
  return (backoffMs({ failures, firstMs: failureMsMin, maxMs: failureMsMax }) * (1 + random())) / 2;
}

/** Batches of one log that are not stored yet: the next one is prepared while one is stored. */
const batchesOfLogMax = 2;
/**
 * Batches of all logs that are not stored yet. A batch has at most about 1 MiB (see `place.ts`), so together they
 * have at most 16 MiB.
 */
const batchesMax = 16;

/** Bounds the batches that are in flight, over all logs. */
type BatchSlots = ReturnType<typeof createBatchSlots>;

function createBatchSlots() {
  const waiting: (() => void)[] = [];
  let taken = 0;
  return {
    /** Resolves when the caller has a slot, which it has to release in every case. */
    async take() {
      if (taken < batchesMax) {
        taken++;
        return;
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push(resolve);
      // The slot is passed on by `release`.
      await promise;
    },
    release() {
      const next = waiting.shift();
      if (next === undefined) taken--;
      else next();
    },
  };
}

/** Reports of one log on their way to the server's thread. */
type Outbox = ReturnType<typeof createOutbox>;

interface OutboxDependencies {
  signal: AbortSignal;
  slots: BatchSlots;
  post: (report: LogReport) => void;
}

function createOutbox({ signal, slots, post }: OutboxDependencies) {
  let unacknowledged = 0;
  let wake: (() => void) | undefined;
  signal.addEventListener("abort", () => wake?.(), { once: true });

  /** Resolves at the next acknowledgment, or when the signal aborts. Only one report waits at a time. */
  const roomAgain = () => new Promise<void>((resolve) => void (wake = resolve));

  return {
    /** Posts a report. Resolves when there is room for another one; rejects with the signal's reason. */
    async send(report: LogReport) {
      if (report.report !== "batch" && report.report !== "mismatch") {
        if (!signal.aborted) post(report);
        return;
      }
      signal.throwIfAborted();
      await slots.take();
      if (signal.aborted) slots.release();
      signal.throwIfAborted();
      unacknowledged++;
      post(report);
      if (unacknowledged >= batchesOfLogMax) await roomAgain();
      signal.throwIfAborted();
    },
    acknowledge() {
      if (unacknowledged === 0) return;
      unacknowledged--;
      slots.release();
      wake?.();
    },

    /** Releases everything that was never acknowledged. */
    close() {
      for (; unacknowledged > 0; unacknowledged--) slots.release();
    },
  };
}

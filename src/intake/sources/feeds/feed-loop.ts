import type { Timer } from "../../../platform/lib/clock.ts";
import { badRequest } from "../../../platform/lib/errors.ts";
import type { SourceNeeds } from "../needs.ts";
import { every, type Schedule } from "../../../platform/lib/schedule.ts";
import { feedKind, type Source, type SourceCheck } from "../source.ts";
import type { FeedStatus } from "./feed-status.ts";

/** A declared feed: a file, a watched folder, or lists that are fetched. */
export type FeedWatcher = ReturnType<typeof createFeedLoop>;

/** How one kind of feed finds and reads what is new. */
interface FeedRounds {
  /** Reads what is new, until the signal aborts. Never rejects. */
  round(signal: AbortSignal): Promise<void>;
  isReading(): boolean;
  /** Returns a function that lets the next round read a file from its start; undefined if there is no such file. */
  again(path: string): (() => void) | undefined;
  /** Returns the status, apart from pauses. */
  status(): FeedStatus;
  check(): Promise<SourceCheck>;
}

interface FeedLoopDependencies extends SourceNeeds<"clock" | "pausing"> {
  name: string;
  /** When rounds begin, in addition to the start and the end of a pause. */
  pattern: string;
  /** @param runSoon begins a round after a delay */
  rounds: (runSoon: (delayMs: number) => void) => FeedRounds;
  onStart?: () => void;
  onStop?: () => void;
}

/** Reads a feed in rounds, one at a time, while it is neither paused nor stopped. */
export function createFeedLoop(dependencies: FeedLoopDependencies) {
  const { clock, name, pattern, pausing, onStart, onStop } = dependencies;
  const stopping = new AbortController();
  const { again, check, isReading, round, status } = dependencies.rounds(runSoon);
  let schedule: Schedule | undefined;
  let soon: Timer | undefined;
  let running: Promise<void> | undefined;

  /** A call during a round joins it. */
  function run(): Promise<void> {
    if (running === undefined && (stopping.signal.aborted || pausing.isPaused())) return Promise.resolve();
    running ??= round(AbortSignal.any([stopping.signal, pausing.signal()])).finally(
      () => void (running = undefined),
    );
    return running;
  }

  function runSoon(delayMs: number): void {
    if (stopping.signal.aborted || soon !== undefined) return;
    soon = clock.after(delayMs, () => {
      soon = undefined;
      // A hint during a long reading is followed up after it.
      if (running === undefined) void run();
      else void running.finally(() => runSoon(delayMs));
    });
  }

  const source = {
    name,
    kind: feedKind,
    declaredAs: "[[feeds]]",
    pausing,
    start() {
      onStart?.();
      schedule = every({ clock, pattern, run });
      // The round that the pause has stopped may still be ending.
      pausing.onResume(() => (running === undefined ? void run() : runSoon(0)));
      void run();
    },
    async stop(): Promise<void> {
      stopping.abort();
      schedule?.stop();
      soon?.cancel();
      onStop?.();
      await running;
    },
    status(): FeedStatus {
      const found = status();
      return pausing.isPaused() ? { ...found, state: "paused" } : found;
    },
    check,
  } satisfies Source;

  return {
    ...source,
    /**
     * Reads a file from its start again. Returns whether the feed has such a file.
     * @throws PublicError `bad_request` while the feed is paused or being read.
     */
    readAgain(path: string): boolean {
      if (pausing.isPaused()) throw badRequest("The feed is paused. Resume it first.");
      const forget = again(path);
      if (forget === undefined) return false;
      if (isReading()) throw badRequest("The feed is being read. Try again when it is done.");
      forget();
      runSoon(0);
      return true;
    },
    /** Resolves when no round is in progress. */
    idle: async (): Promise<void> => void (await running),
  };
}

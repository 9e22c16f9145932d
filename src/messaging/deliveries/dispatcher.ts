import type { Needs } from "../../platform/database/needs.ts";
import type { Outbox } from "../../threats/events/outbox.ts";
import { every, type Schedule } from "../../platform/lib/schedule.ts";
import type { DueDeliveries } from "./due.ts";
import type { FanOut } from "./fan-out.ts";
import type { LaneSettings, Send } from "./attempts.ts";
import { createLanes, type Lanes } from "./lanes.ts";
import type { Release } from "./store/release.ts";
import type { Recipients } from "./recipients.ts";
import type { RecordedAttempt, Recorder } from "./recorder.ts";
import { createRounds, type Rounds } from "./rounds.ts";
import type { RetryPolicy } from "./rules/retry-schedule.ts";
import { createScheduleRepair } from "./schedule-repair.ts";

/** Delivers events to recipients. */
export type Dispatcher = ReturnType<typeof createDispatcher>;

const drainMsDefault = 10_000;
const everySecond = "* * * * * *";
/** Event-loop turns that `settled()` spins before it polls every millisecond. */
const settledSpinTurns = 1_000;

type OnRecorded = (attempts: readonly RecordedAttempt[], recipientsChanged: boolean) => void;

/** State between `start` and `stop`. */
interface Run {
  abort: AbortController;
  lanes: Lanes;
  poll: Schedule | undefined;
  recorder: Recorder;
  rounds: Rounds;
}

interface DispatcherDependencies extends Needs<"clock" | "database" | "log"> {
  due: DueDeliveries;
  fanOut: FanOut;
  createRecorder: (onRecorded: OnRecorded) => Recorder;
  outbox: Outbox;
  /** Returns the policy with the most attempts. */
  policy: () => RetryPolicy;
  recipients: Recipients;
  release: Release;
  requestsMax: number;
  send: Send;
  settings: LaneSettings;
}

export function createDispatcher(dependencies: DispatcherDependencies) {
  const { clock, database, due, fanOut, log, createRecorder, outbox, policy, recipients, release } =
    dependencies;
  const repair = createScheduleRepair({ clock, due, log, policy, release });
  let run: Run | undefined;
  let foreignVersion = -1;

  function begin(): Run {
    const abort = new AbortController();
    const recorder = createRecorder((...recorded) => rounds.noteRecorded(...recorded));
    const onStalled = (error: unknown) => rounds.reportStalled(error);
    const { signal } = abort;
    const lanes = createLanes({ ...dependencies, onStalled, recorder, signal });
    const rounds = createRounds({ clock, fanOut, lanes, log, release, repair });
    const poll = database.isShared
      ? every({ clock, pattern: everySecond, run: checkForeignCommits })
      : undefined;
    return { abort, lanes, poll, recorder, rounds };
  }

  /**
   * Detects commits of other processes, which may have added deliveries or enabled recipients. Runs only once a second,
   * because they may commit all the time. Before each attempt, its lane reads its recipient again.
   */
  function checkForeignCommits(): void {
    const version = database.foreignVersion();
    const hasChanged = version !== foreignVersion;
    foreignVersion = version;
    if (hasChanged) run?.rounds.reread();
    else run?.rounds.wake();
  }

  outbox.onRecorded(() => run?.rounds.wake());
  recipients.onChanged(() => run?.rounds.reread());

  return {
    /** Starts to deliver, beginning with what this or an earlier process left pending. */
    start() {
      repair.begin();
      run = begin();
      run.rounds.reread();
    },

    /** Starts no more attempts, waits up to `drainMs` for those in flight, then aborts them; they are sent again. */
    async stop(drainMs = drainMsDefault) {
      if (run === undefined) return;
      const { abort, lanes, poll, recorder, rounds } = run;
      run = undefined;
      poll?.stop();
      rounds.stop();
      const { promise: timeout, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, drainMs);
      await Promise.race([lanes.drain(), timeout]);
      clearTimeout(timer);
      abort.abort();
      // Attempts that have just ended add their results in this turn.
      await new Promise((next) => setImmediate(next));
      await Promise.all([recorder.close(), rounds.ended()]);
    },

    /** Checks for new events, changed recipients and redeliveries now. */
    wake: () => run?.rounds.reread(),

    /** Notes that a delivery to this recipient is due now. Costs less than `wake`. */
    noteDue(recipientSeq: number) {
      run?.lanes.noteDue(recipientSeq, clock.now());
      run?.rounds.wake();
    },

    /** Resolves when no attempt is in flight and none is due now. */
    settled: () => settled(() => run),
  };
}

async function settled(present: () => Run | undefined): Promise<void> {
  for (let turns = 0; ; turns += 1) {
    const run = present();
    if (run === undefined) return;
    const { lanes, recorder, rounds } = run;
    if (lanes.idle() && rounds.idle() && recorder.idle()) return;
    // No more results can come, so there is no need to wait for a full group.
    if (lanes.idle()) void recorder.flush();
    await new Promise((next) => (turns < settledSpinTurns ? setImmediate(next) : setTimeout(next, 1)));
  }
}

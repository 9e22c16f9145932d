import type { Needs } from "../../platform/database/needs.ts";
import type { Outbox } from "../../threats/events/outbox.ts";
import { createJumpDetector, type Instant, type Timer } from "../../platform/lib/clock.ts";
import { logDropped } from "../../platform/lib/log.ts";
import { every, type Schedule } from "../../platform/lib/schedule.ts";
import type { DueDeliveries } from "./due.ts";
import type { FanOut } from "./fan-out.ts";
import { createLanes, type Lanes, type Send, type LaneSettings } from "./lanes.ts";
import type { Release } from "./store/release.ts";
import type { Recipients } from "./recipients.ts";
import type { RecordedAttempt, Recorder } from "./recorder.ts";
import { longestWaitMs, type RetryPolicy } from "./rules/retry-schedule.ts";

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
  /** Whether holds of an earlier process were checked. */
  repaired: boolean;
  /** Set while due times of an earlier process are being checked. */
  clamping: Promise<void> | undefined;
}

export function createDispatcher({
  clock,
  database,
  due,
  fanOut,
  log,
  createRecorder,
  outbox,
  policy,
  recipients,
  release,
  send,
  settings,
}: Needs<"clock" | "database" | "log"> & {
  due: DueDeliveries;
  fanOut: FanOut;
  createRecorder: (onRecorded: OnRecorded) => Recorder;
  outbox: Outbox;
  /** Returns the policy with the most attempts. */
  policy: () => RetryPolicy;
  recipients: Recipients;
  release: Release;
  send: Send;
  settings: LaneSettings;
}) {
  let run: Run | undefined;
  let waking: ReturnType<typeof setImmediate> | undefined;
  /** Set while new deliveries are being created. */
  let preparing: Promise<void> | undefined;
  /** How far the clock jumped since due times last followed it. */
  let unfollowedJumpMs = 0;
  let dueTimer: Timer | undefined;
  let dueAt: Instant | undefined;
  let stale = true;
  /** Recipients that respond again and whose deliveries are still held. */
  let recovered: readonly number[] = [];
  let foreignVersion = -1;
  const jumpedMs = createJumpDetector(clock);

  function wake(): void {
    // In the next turn: the response to the request that recorded an event should leave first.
    if (run !== undefined) waking ??= setImmediate(work);
  }

  /** Does one short round. The next turn of the event loop continues with what is left. */
  function work(): void {
    waking = undefined;
    if (run === undefined) return;
    try {
      unfollowedJumpMs += jumpedMs();
      if (stale) read(run);
      if (recovered.length > 0 || unfollowedJumpMs !== 0 || !run.repaired || fanOut.isNeeded())
        preparing ??= prepare(run);
      // Deliveries that are due need no write lock to be sent.
      pump(run.lanes);
    } catch (error) {
      reportStalled(error);
    }
  }

  function read({ lanes }: Run): void {
    lanes.read();
    recovered = release.recovered();
    stale = false;
  }

  /** Creates the next deliveries, as soon as the write lock is free. */
  async function prepare(current: Run): Promise<void> {
    try {
      const isStopping = () => run !== current;
      if (unfollowedJumpMs !== 0) await followClock(current);
      if (!current.repaired) await repairSchedule(current);
      for (const seq of recovered) await release.run(seq, { now: clock.now(), isStopping });
      if (recovered.length > 0) stale = true;
      const recipientSeqs = await fanOut.step();
      if (run !== current) return;
      const now = clock.now();
      for (const seq of recipientSeqs) current.lanes.noteDue(seq, now);
      if (!stale) pump(current.lanes);
      preparing = undefined;
      // Reads what has changed in the meantime, and continues with what is left.
      if (stale || fanOut.isNeeded()) wake();
    } catch (error) {
      preparing = undefined;
      if (run === current) reportStalled(error);
    }
  }

  /** For example a full disk. Pending deliveries are in the database, and the next poll tries again. */
  function reportStalled(error: unknown): void {
    stale = true;
    logDropped(log, error, "delivery.stalled");
  }

  function pump(lanes: Lanes): void {
    const nextDueAt = lanes.pump();
    if (nextDueAt !== null) wakeAt(nextDueAt);
  }

  function wakeAt(instant: Instant): void {
    if (dueAt === instant) return;
    dueTimer?.cancel();
    dueAt = instant;
    // A delay, because the clock may be set in the meantime: the round that follows recalculates the due times.
    dueTimer = clock.after(Math.max(0, instant - clock.now()), () => {
      dueAt = undefined;
      wake();
    });
  }

  /**
   * Detects commits of other processes, which may have added deliveries or enabled recipients. Runs only once a second,
   * because they may commit all the time. Before each attempt, its lane reads its recipient again.
   */
  function checkForeignCommits(): void {
    const version = database.foreignVersion();
    if (version !== foreignVersion) stale = true;
    foreignVersion = version;
    wake();
  }

  /** Moves due times after the clock was set, so that each delivery keeps its delay. */
  async function followClock(current: Run): Promise<void> {
    const jumpMs = unfollowedJumpMs;
    await due.moveFailures(jumpMs);
    unfollowedJumpMs -= jumpMs;
    // After a jump forward, such as sleep, deliveries that became due are sent now.
    if (jumpMs < 0) await moveBack(current, jumpMs);
    stale = true;
  }

  async function moveBack(current: Run, jumpMs: number): Promise<void> {
    try {
      const deliveries = await due.moveBack(jumpMs, { now: clock.now(), isStopping: () => run !== current });
      if (deliveries > 0) log.event("delivery.clock_set_back", { deliveries, setBackMs: -jumpMs });
    } catch (error) {
      // Some of them have been moved, and the others are brought forward.
      current.repaired = false;
      throw error;
    }
  }

  async function repairSchedule(current: Run): Promise<void> {
    await release.repair(clock.now());
    current.repaired = true;
    // There may be millions, and new events do not wait for them.
    current.clamping = clampSchedule(current).finally(() => (current.clamping = undefined));
  }

  /** Runs on start: how far the clock was set while no server was running is unknown. */
  async function clampSchedule(current: Run): Promise<void> {
    const longest = policy();
    const latest = (attempts: number) => clock.now() + longestWaitMs(longest, attempts);
    try {
      const deliveries = await due.clamp(latest, { isStopping: () => run !== current });
      if (deliveries === 0 || run !== current) return;
      log.event("delivery.clock_set_back", { deliveries });
      reread();
    } catch (error) {
      current.repaired = false;
      if (run === current) reportStalled(error);
    }
  }

  const onRecorded: OnRecorded = (attempts, recipientsChanged) => {
    if (recipientsChanged) stale = true;
    wake();
    try {
      run?.lanes.noteRecorded(attempts, { recipientsChanged });
    } catch (error) {
      // The results are recorded: the recorder must not take them for lost.
      reportStalled(error);
    }
  };

  const reread = () => {
    stale = true;
    wake();
  };
  outbox.onRecorded(wake);
  recipients.onChanged(reread);

  return {
    /** Starts to deliver, beginning with what this or an earlier process left pending. */
    start() {
      const abort = new AbortController();
      const recorder = createRecorder(onRecorded);
      const { signal } = abort;
      run = {
        abort,
        recorder,
        repaired: false,
        clamping: undefined,
        lanes: createLanes({
          clock,
          due,
          log,
          onStalled: reportStalled,
          recorder,
          send,
          settings,
          signal,
        }),
        poll: database.isShared
          ? every({ clock, pattern: everySecond, run: checkForeignCommits })
          : undefined,
      };
      reread();
    },

    /** Starts no more attempts, waits up to `drainMs` for those in flight, then aborts them; they are sent again. */
    async stop(drainMs = drainMsDefault) {
      if (run === undefined) return;
      const { abort, clamping, lanes, poll, recorder } = run;
      run = undefined;
      poll?.stop();
      dueTimer?.cancel();
      dueAt = undefined;
      const { promise: timeout, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, drainMs);
      await Promise.race([lanes.drain(), timeout]);
      clearTimeout(timer);
      abort.abort();
      // Attempts that have just ended add their results in this turn.
      await new Promise((next) => setImmediate(next));
      await Promise.all([recorder.close(), preparing, clamping]);
      preparing = undefined;
    },

    /** Checks for new events, changed recipients and redeliveries now. */
    wake: reread,

    /** Notes that a delivery to this recipient is due now. Costs less than `wake`. */
    noteDue(recipientSeq: number) {
      run?.lanes.noteDue(recipientSeq, clock.now());
      wake();
    },

    /** Resolves when no attempt is in flight and none is due now. */
    async settled() {
      for (let turns = 0; ; turns += 1) {
        if (run === undefined) return;
        const { clamping, lanes, recorder } = run;
        const isWorking = waking !== undefined || preparing !== undefined || clamping !== undefined;
        if (lanes.idle() && !isWorking && recorder.idle()) return;
        // No more results can come, so there is no need to wait for a full group.
        if (lanes.idle()) void recorder.flush();
        await new Promise((next) => (turns < settledSpinTurns ? setImmediate(next) : setTimeout(next, 1)));
      }
    },
  };
}

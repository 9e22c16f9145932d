import type { Clock, Instant, Timer } from "../../platform/lib/clock.ts";
import { logDropped } from "../../platform/lib/log.ts";
import type { Needs } from "../../platform/lib/needs.ts";
import type { FanOut } from "./fan-out.ts";
import type { Lanes } from "./lanes.ts";
import type { RecordedAttempt } from "./recorder.ts";
import type { ScheduleRepair } from "./schedule-repair.ts";
import type { Release } from "./store/release.ts";

/** Works in short rounds, one in a turn of the event loop, which create new deliveries and start those that are due. */
export type Rounds = ReturnType<typeof createRounds>;

interface RoundDependencies extends Needs<"clock" | "log"> {
  fanOut: FanOut;
  lanes: Lanes;
  release: Release;
  repair: ScheduleRepair;
}

export function createRounds({ clock, fanOut, lanes, log, release, repair }: RoundDependencies) {
  let isStopped = false;
  let waking: ReturnType<typeof setImmediate> | undefined;
  /** Set while new deliveries are being created. */
  let preparing: Promise<void> | undefined;
  let stale = true;
  /** Recipients that respond again and whose deliveries are still held. */
  let recovered: readonly number[] = [];
  const alarm = createAlarm(clock, wake);
  const isStopping = () => isStopped;

  function wake(): void {
    // In the next turn: the response to the request that recorded an event should leave first.
    if (!isStopped) waking ??= setImmediate(work);
  }

  function reread(): void {
    stale = true;
    wake();
  }

  /** Does one short round. The next turn of the event loop continues with what is left. */
  function work(): void {
    waking = undefined;
    if (isStopped) return;
    try {
      repair.noteJump();
      if (stale) {
        lanes.read();
        recovered = release.recovered();
        stale = false;
      }
      if (recovered.length > 0 || repair.isNeeded() || fanOut.isNeeded()) preparing ??= prepare();
      // Deliveries that are due need no write lock to be sent.
      pump();
    } catch (error) {
      reportStalled(error);
    }
  }

  /** Creates the next deliveries, as soon as the write lock is free. */
  async function prepare(): Promise<void> {
    try {
      if (await repair.run({ isStopping, onChanged: reread, onStalled: reportStalled })) stale = true;
      for (const seq of recovered) await release.run(seq, { now: clock.now(), isStopping });
      if (recovered.length > 0) stale = true;
      const recipientSeqs = await fanOut.step();
      if (isStopped) return;
      const now = clock.now();
      for (const seq of recipientSeqs) lanes.noteDue(seq, now);
      if (!stale) pump();
      preparing = undefined;
      // Reads what has changed in the meantime, and continues with what is left.
      if (stale || fanOut.isNeeded()) wake();
    } catch (error) {
      preparing = undefined;
      if (!isStopped) reportStalled(error);
    }
  }

  /** For example a full disk. Pending deliveries are in the database, and the next poll tries again. */
  function reportStalled(error: unknown): void {
    stale = true;
    logDropped(log, error, "delivery.stalled");
  }

  const pump = () => alarm.set(lanes.pump());

  return {
    wake,
    /** Reads recipients and due times again, and does what is due. */
    reread,
    reportStalled,
    noteRecorded(attempts: readonly RecordedAttempt[], recipientsChanged: boolean): void {
      if (isStopped) return;
      if (recipientsChanged) stale = true;
      wake();
      try {
        lanes.noteRecorded(attempts, { recipientsChanged });
      } catch (error) {
        // The results are recorded: the recorder must not take them for lost.
        reportStalled(error);
      }
    },
    idle: () => waking === undefined && preparing === undefined && repair.background() === undefined,
    /** Begins no more rounds. */
    stop() {
      isStopped = true;
      alarm.cancel();
    },
    /** Resolves when the last round has ended. */
    ended: async () => void (await Promise.all([preparing, repair.background()])),
  };
}

/** Calls `ring` at the time that was set last. */
function createAlarm(clock: Clock, ring: () => void) {
  let timer: Timer | undefined;
  let setFor: Instant | undefined;
  return {
    /** @param at null: the time that was set before is kept */
    set(at: Instant | null): void {
      if (at === null || setFor === at) return;
      timer?.cancel();
      setFor = at;
      // A delay, because the clock may be set in the meantime: the round that follows recalculates the due times.
      timer = clock.after(Math.max(0, at - clock.now()), () => {
        setFor = undefined;
        ring();
      });
    },
    cancel: () => timer?.cancel(),
  };
}

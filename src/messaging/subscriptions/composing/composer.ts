import type { Needs } from "../../../platform/database/needs.ts";
import { dayMs, type Instant, type Timer } from "../../../platform/lib/clock.ts";
import { logDropped } from "../../../platform/lib/log.ts";
import type { Place, Queue } from "../queue/queue.ts";
import type { Subscription, SubscriptionStore } from "../subscriptions/store.ts";
import { quietMs } from "../timing/due.ts";
import { placeOf, type NextDue } from "./next-due.ts";

/** How often subscriptions are read again that another process may have changed. */
const pollMs = 60_000;
const deletedPerStep = 500;
/** Subscriptions that are checked without a pause: about 2 ms. */
const checkedPerStep = 50;
/** Wait after an error, for example a full disk. */
const errorPauseMs = 10_000;
const background = { relaxed: true, patient: true };

/** Creates what composes the messages that are due, and hands them off to the deliveries. */
export function createComposer({
  clock,
  compose,
  database,
  log,
  nextDue,
  pause,
  queue,
  store,
}: Needs<"clock" | "database" | "log"> & {
  /** Composes the messages of a subscription and records them. Returns their number. */
  compose: (subscription: Subscription) => Promise<number>;
  nextDue: NextDue;
  /** Lets requests be served in between. */
  pause: () => Promise<void>;
  queue: Pick<Queue, "deleteConsumed" | "hasConsumed">;
  store: Pick<SubscriptionStore, "find" | "list">;
}) {
  const composeDue = createRounds({ clock, compose, database, log, nextDue, pause, queue, store });
  let running = false;
  let working: Promise<void> | undefined;
  let requested = false;
  let timer: Timer | undefined;
  let timerAt: Instant = 0;
  let composedCount = 0;
  async function work(): Promise<void> {
    let next: Instant | null = null;
    try {
      requested = false;
      const round = await composeDue(() => running);
      composedCount += round.composed;
      next = round.next;
    } catch (error) {
      logDropped(log, error, "notification.composer_failed");
      next = clock.now() + errorPauseMs;
    }
    working = undefined;
    if (!running) return;
    if (requested) return wake();
    if (next !== null) checkAt(next);
    if (database.isShared) checkAt(clock.now() + pollMs);
  }

  function wake(): void {
    requested = true;
    if (!running || working !== undefined) return;
    timer?.cancel();
    timer = undefined;
    // In the next turn: the transaction that queued something should end first.
    working = new Promise<void>((resolve) => setImmediate(resolve)).then(work);
  }

  function checkAt(at: Instant): void {
    if (!running || (timer !== undefined && timerAt <= at)) return;
    timer?.cancel();
    timerAt = at;
    // At most a poll away, because the clock may be set in the meantime.
    const delayMs = Math.min(Math.max(0, at - clock.now()), database.isShared ? pollMs : dayMs);
    timer = clock.after(delayMs, () => {
      timer = undefined;
      wake();
    });
  }

  return {
    start() {
      running = true;
      wake();
    },
    /** Waits for the message that is being composed. */
    async stop() {
      running = false;
      timer?.cancel();
      timer = undefined;
      await working;
    },
    /** Something was queued: no message can be due before the end of its burst. */
    noteQueued: () => checkAt(clock.now() + quietMs),
    /** Checks now what is due, for example because a subscription changed. */
    wake,
    /** Resolves when nothing is due now. */
    async settled() {
      for (;;) {
        if (working === undefined) return;
        await working;
      }
    },
    /** Number of messages since the start. */
    composed: () => composedCount,
  };
}

/** Returns a function that composes everything that is due. `next`: when to check again; null: when something is queued. */
function createRounds({
  clock,
  compose,
  database,
  log,
  nextDue,
  pause,
  queue,
  store,
}: Parameters<typeof createComposer>[0]): (
  isRunning: () => boolean,
) => Promise<{ next: Instant | null; composed: number }> {
  /** Deletes the rows of a subscription that are done with, in short transactions. */
  async function clean(place: Place, isRunning: () => boolean): Promise<void> {
    while (isRunning() && queue.hasConsumed(place)) {
      await database.write(() => void queue.deleteConsumed(place, deletedPerStep), background);
      await pause();
    }
  }

  return async (isRunning) => {
    /** Tried again later, so that the others do not have to wait. */
    const failed = new Set<number>();
    let composed = 0;
    for (;;) {
      let next: Instant | null = null;
      let isAnyDue = false;
      for (const [index, listed] of store.list().entries()) {
        if (index % checkedPerStep === checkedPerStep - 1) await pause();
        await clean(placeOf(listed), isRunning);
        if (!isRunning()) return { next: null, composed };
        const now = clock.now();
        if (failed.has(listed.seq)) next = Math.min(next ?? Infinity, now + errorPauseMs);
        const waiting = listed.enabled && !failed.has(listed.seq) ? nextDue(listed, now) : undefined;
        if (waiting === undefined) continue;
        if (waiting.at > now) {
          next = Math.min(next ?? Infinity, waiting.checkAt);
          continue;
        }
        isAnyDue = true;
        // It may have been changed or removed since the list was read.
        const due = store.find(listed.id);
        try {
          if (due?.enabled === true) composed += await compose(due);
        } catch (error) {
          log.event("notification.delayed", { error, subscription: listed.name });
          failed.add(listed.seq);
        }
      }
      // Checked again after a message: composing takes time, in which others become due.
      if (!isAnyDue) return { next, composed };
    }
  };
}

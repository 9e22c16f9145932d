import type { Instant } from "../../platform/lib/clock.ts";
import type { Needs } from "../../platform/lib/needs.ts";
import { createAttempt, createAttemptSlots, type LaneSettings, type Send } from "./attempts.ts";
import type { Message } from "./channel.ts";
import type { DueDeliveries, DueDelivery } from "./due.ts";
import {
  dropQueue,
  fill,
  isHeld,
  nextStartOf,
  renew,
  takeProbe,
  takeRateSlot,
  updateLanes,
  type Lane,
} from "./lane.ts";
import type { RecordedAttempt, Recorder } from "./recorder.ts";

/** One queue per recipient, so that a slow recipient delays no other. */
export type Lanes = ReturnType<typeof createLanes>;

interface LaneDependencies extends Needs<"clock" | "log"> {
  due: DueDeliveries;
  /** Called with an uncaught error of the database, where the deliveries stay pending. */
  onStalled: (error: unknown) => void;
  recorder: Recorder;
  /** Maximum number of concurrent attempts for all recipients together. */
  requestsMax: number;
  send: Send;
  settings: LaneSettings;
  /** Aborts the attempts in flight. */
  signal: AbortSignal;
}

export function createLanes(dependencies: LaneDependencies) {
  const { clock, due } = dependencies;
  const lanes = new Map<number, Lane>();
  /** Index of the lane that may start first. It rotates, so that each gets its share of few requests. */
  let turn = 0;
  const starter = createStarter({ ...dependencies, noteDue, pumpAll: pump });

  /** Notes that a delivery for this recipient is due at `at`. */
  function noteDue(recipientSeq: number, at: Instant): void {
    const lane = lanes.get(recipientSeq);
    if (lane !== undefined && (lane.nextDueAt === null || at < lane.nextDueAt)) lane.nextDueAt = at;
  }

  /** Starts every attempt that may start. Returns the time at which the next delivery is due, or null. */
  function pump(): Instant | null {
    const now = clock.now();
    let next: Instant | null = null;
    const all = [...lanes.values()];
    turn = (turn + 1) % Math.max(1, all.length);
    for (const lane of [...all.slice(turn), ...all.slice(0, turn)]) {
      starter.pump(lane);
      const at = nextStartOf(lane);
      if (at !== null && at > now && (next === null || at < next)) next = at;
    }
    return next;
  }

  return {
    /** Updates the lanes to the enabled recipients and their pending deliveries. */
    read: () => updateLanes(lanes, due),
    noteDue,
    pump,
    /**
     * Notes that results were recorded.
     * @param options.recipientsChanged whether recipients were disabled, or their deliveries held or released
     */
    noteRecorded(
      attempts: readonly RecordedAttempt[],
      { recipientsChanged }: { recipientsChanged: boolean },
    ): void {
      try {
        // Before a delivery is released, so that no other one is sent beside or instead of a probe.
        if (recipientsChanged) updateLanes(lanes, due);
      } finally {
        for (const { recipientSeq, deliverySeq, nextAttemptAt } of attempts) {
          lanes.get(recipientSeq)?.held.delete(deliverySeq);
          if (nextAttemptAt !== undefined) noteDue(recipientSeq, nextAttemptAt);
        }
      }
    },
    /** Returns whether no attempt is in flight or about to start now. */
    idle: starter.idle,
    /** Starts no more attempts. Resolves when none is in flight. */
    drain() {
      for (const lane of lanes.values()) lane.paced?.cancel();
      return starter.drain();
    },
  };
}

interface StarterDependencies extends LaneDependencies {
  noteDue: (recipientSeq: number, at: Instant) => void;
  /** Continues with all lanes, because another one may have waited. */
  pumpAll: () => void;
}

/** Starts the attempts of one lane at a time, as the slots, its rate, and a hold of its deliveries allow. */
function createStarter({ noteDue, pumpAll, ...dependencies }: StarterDependencies) {
  const { clock, due, onStalled, recorder } = dependencies;
  const slots = createAttemptSlots({ ...dependencies, onRoom: () => resume(pumpAll) });
  const { pauseForDescriptors } = slots;
  const attempt = createAttempt({ ...dependencies, noteDue, pauseForDescriptors });

  /** Continues from a timer, or after an attempt. */
  function resume(work: () => void): void {
    try {
      work();
    } catch (error) {
      onStalled(error);
    }
  }

  const mayStart = (lane: Lane) => lane.enabled && !recorder.full() && slots.mayTake(lane);

  function pump(lane: Lane): void {
    if (isHeld(lane)) return probe(lane);
    while (mayStart(lane)) {
      if (lane.queue.length === 0) fill(lane, due, clock.now());
      const next = lane.queue[0];
      if (next === undefined || !renew(lane, due) || isDelayedByRate(lane)) return;
      lane.queue.shift();
      start(lane, next, false);
    }
  }

  function probe(lane: Lane): void {
    const delivery = mayStart(lane) ? takeProbe(lane, due, clock.now()) : undefined;
    if (delivery === undefined) return;
    if (renew(lane, due)) start(lane, delivery, true);
    else lane.held.delete(delivery.seq);
  }

  /** Pumps the lane again when its rate limit allows the next attempt. */
  function isDelayedByRate(lane: Lane): boolean {
    const delayMs = takeRateSlot(lane, clock.monotonicMs());
    if (delayMs === 0) return false;
    lane.paced ??= clock.after(Math.ceil(delayMs), () => {
      lane.paced = undefined;
      resume(() => pump(lane));
    });
    return true;
  }

  function start(lane: Lane, delivery: DueDelivery, isProbe: boolean): void {
    const message = readMessage(due, lane, delivery);
    if (message === undefined) return void lane.held.delete(delivery.seq);
    const giveBack = slots.take(lane);
    void attempt(lane, delivery, message, isProbe).finally(() => {
      const wasFull = giveBack();
      resume(wasFull ? pumpAll : () => pump(lane));
    });
  }

  return { pump, idle: slots.idle, drain: slots.drain };
}

/** @throws an error of the database. The delivery and those behind it are then read again, in their order. */
function readMessage(due: DueDeliveries, lane: Lane, delivery: DueDelivery): Message | undefined {
  try {
    return due.message(delivery.eventSeq);
  } catch (error) {
    lane.held.delete(delivery.seq);
    dropQueue(lane);
    throw error;
  }
}

import type { Instant, Timer } from "../../platform/lib/clock.ts";
import type { Needs } from "../../platform/lib/needs.ts";
import type { AttemptResult, Message, NotAttempted } from "./channel.ts";
import type { DueDeliveries, DueDelivery } from "./due.ts";
import {
  dropQueue,
  fill,
  isHeld,
  nextStartOf,
  pause,
  renew,
  takeProbe,
  takeRateSlot,
  updateLanes,
  type Lane,
} from "./lane.ts";
import type { Recipient } from "./recipients.ts";
import type { RecordedAttempt, Recorder } from "./recorder.ts";

/** Makes one attempt, or returns why there was none. */
export type Send = (
  recipient: Recipient,
  message: Message,
  signal: AbortSignal,
) => Promise<AttemptResult | NotAttempted>;

/** One queue per recipient, so that a slow recipient delays no other. */
export interface Lanes {
  /** Updates the lanes to the enabled recipients and their pending deliveries. */
  read(): void;
  /** Notes that a delivery for this recipient is due at `at`. */
  noteDue(recipientSeq: number, at: Instant): void;
  /** Starts every attempt that may start. Returns the time at which the next delivery is due, or null. */
  pump(): Instant | null;
  /**
   * Notes that results were recorded.
   * @param options.recipientsChanged whether recipients were disabled, or their deliveries held or released
   */
  noteRecorded(attempts: readonly RecordedAttempt[], options: { recipientsChanged: boolean }): void;
  /** Returns whether no attempt is in flight or about to start now. */
  idle(): boolean;
  /** Starts no more attempts. Resolves when none is in flight. */
  drain(): Promise<void>;
}

/** Pause after an internal error, so that the delivery does not spin. */
const internalErrorPauseMs = 60_000;
/** Beyond this number of concurrent attempts, or half of those permitted, only idle lanes start one each. */
const inFlightSharedMax = 1_024;
/** Failing recipients, which may keep connections open until the timeout, leave the rest to the others. */
const failingShare = 1 / 2;
/** Pause when no file descriptor is left. */
const descriptorPauseMs = 1_000;
/** A lack of descriptors after a longer time without one is logged again. */
const incidentMs = 10 * 60_000;
const startsPerTurnMax = 64;

export interface LaneSettings {
  /** Maximum number of concurrent attempts per recipient that sets none of its own. Read for each attempt. */
  concurrency: number;
  /** Maximum number of concurrent attempts, which the file descriptors permit. */
  requestsMax: number;
}

export function createLanes({
  clock,
  due,
  log,
  onStalled,
  recorder,
  send,
  settings,
  signal,
}: Needs<"clock" | "log"> & {
  due: DueDeliveries;
  /** Called with an error of the database that nobody else would catch. The deliveries stay pending there. */
  onStalled: (error: unknown) => void;
  recorder: Recorder;
  send: Send;
  settings: LaneSettings;
  /** Aborts the attempts in flight. */
  signal: AbortSignal;
}): Lanes {
  const lanes = new Map<number, Lane>();
  const { requestsMax } = settings;
  const inFlightShared = Math.min(inFlightSharedMax, Math.ceil(requestsMax / 2));
  const failingMax = Math.max(1, Math.floor(requestsMax * failingShare));
  let inFlight = 0;
  let failingInFlight = 0;
  let startedThisTurn = 0;
  /** Index of the lane that may start first. It rotates, so that each gets its share of few requests. */
  let turn = 0;
  /** Set while no file descriptor is left. */
  let starved: Timer | undefined;
  let starvedAtMs = Number.NEGATIVE_INFINITY;
  let draining = false;
  let drained: (() => void) | undefined;

  function noteDue(recipientSeq: number, at: Instant): void {
    const lane = lanes.get(recipientSeq);
    if (lane !== undefined && (lane.nextDueAt === null || at < lane.nextDueAt)) lane.nextDueAt = at;
  }

  function pump(): Instant | null {
    const now = clock.now();
    let next: Instant | null = null;
    const all = [...lanes.values()];
    turn = (turn + 1) % Math.max(1, all.length);
    for (const lane of [...all.slice(turn), ...all.slice(0, turn)]) {
      pumpLane(lane);
      const at = nextStartOf(lane);
      if (at !== null && at > now && (next === null || at < next)) next = at;
    }
    return next;
  }

  /** Continues from a timer, or after an attempt. */
  function resume(work: () => void): void {
    try {
      work();
    } catch (error) {
      onStalled(error);
    }
  }

  function pumpLane(lane: Lane): void {
    if (isHeld(lane)) return probe(lane);
    while (mayStart(lane)) {
      if (lane.queue.length === 0) fill(lane, due, clock.now());
      if (lane.queue.length === 0 || !renew(lane, due) || isDelayedByRate(lane)) return;
      start(lane, lane.queue.shift()!, false);
    }
  }

  function probe(lane: Lane): void {
    const delivery = mayStart(lane) ? takeProbe(lane, due, clock.now()) : undefined;
    if (delivery === undefined) return;
    if (renew(lane, due)) start(lane, delivery, true);
    else lane.held.delete(delivery.seq);
  }

  function mayStart(lane: Lane): boolean {
    if (draining || !lane.enabled || recorder.full() || starved !== undefined) return false;
    if (startedThisTurn >= startsPerTurnMax || inFlight >= requestsMax) return false;
    if (lane.failing) return lane.inFlight === 0 && failingInFlight < failingMax;
    const limit = lane.recipient.concurrency ?? settings.concurrency;
    return lane.inFlight < limit && (inFlight < inFlightShared || lane.inFlight === 0);
  }

  /** Pumps the lane again when its rate limit allows the next attempt. */
  function isDelayedByRate(lane: Lane): boolean {
    const delayMs = takeRateSlot(lane, clock.monotonicMs());
    if (delayMs === 0) return false;
    lane.paced ??= clock.after(Math.ceil(delayMs), () => {
      lane.paced = undefined;
      resume(() => pumpLane(lane));
    });
    return true;
  }

  function readMessage(lane: Lane, delivery: DueDelivery): Message | undefined {
    try {
      return due.message(delivery.eventSeq);
    } catch (error) {
      // The delivery and those behind it are read again, in their order.
      lane.held.delete(delivery.seq);
      dropQueue(lane);
      throw error;
    }
  }

  function start(lane: Lane, delivery: DueDelivery, isProbe: boolean): void {
    const message = readMessage(lane, delivery);
    if (message === undefined) return void lane.held.delete(delivery.seq);
    const wasFailing = lane.failing;
    lane.inFlight += 1;
    inFlight += 1;
    if (wasFailing) failingInFlight += 1;
    startedThisTurn += 1;
    if (startedThisTurn === 1) setImmediate(nextTurn);
    void attempt(lane, delivery, message, isProbe).finally(() => {
      const wasFull = inFlight >= inFlightShared || failingInFlight >= failingMax;
      lane.inFlight -= 1;
      inFlight -= 1;
      if (wasFailing) failingInFlight -= 1;
      resume(() => void (wasFull ? pump() : pumpLane(lane)));
      if (inFlight === 0) drained?.();
    });
  }

  /** Lets API requests run in between, even while a thousand recipients have due deliveries. */
  function nextTurn(): void {
    const isMoreDue = startedThisTurn >= startsPerTurnMax;
    startedThisTurn = 0;
    if (isMoreDue) resume(pump);
  }

  async function attempt(
    lane: Lane,
    delivery: DueDelivery,
    message: Message,
    isProbe: boolean,
  ): Promise<void> {
    const { recipient, held } = lane;
    let result: AttemptResult | NotAttempted;
    try {
      result = await send(recipient, message, signal);
    } catch (error) {
      log.event("delivery.internal_error", { error, recipient: recipient.id });
      clock.after(internalErrorPauseMs, () => {
        held.delete(delivery.seq);
        noteDue(recipient.seq, clock.now());
      });
      return;
    }
    if (result === "aborted") return void held.delete(delivery.seq);
    if (result === "no_descriptor") {
      held.delete(delivery.seq);
      noteDue(recipient.seq, clock.now());
      return pauseForDescriptors();
    }
    lane.failing = result.failure !== null;
    if (lane.failing && result.consequence === "disable") {
      // Nothing more is sent until the result is recorded, which disables the recipient.
      lane.enabled = false;
      dropQueue(lane);
    }
    if (result.pauseMs !== undefined) pause(lane, result.pauseMs, clock.monotonicMs());
    const attempts = delivery.attempts + (isProbe && lane.failing ? 0 : 1);
    const { seq: recipientSeq, channel } = recipient;
    recorder.add({ recipientSeq, channel, deliverySeq: delivery.seq, attempts, result, isProbe });
  }

  /** Waits until connections are closed. The deliveries stay due, and no attempt is counted. */
  function pauseForDescriptors(): void {
    const nowMs = clock.monotonicMs();
    if (nowMs - starvedAtMs > incidentMs) log.event("delivery.no_descriptor", { requests: inFlight });
    starvedAtMs = nowMs;
    starved ??= clock.after(descriptorPauseMs, () => {
      starved = undefined;
      resume(pump);
    });
  }

  const read = () => updateLanes(lanes, due);

  return {
    read,
    noteDue,
    pump,
    noteRecorded(attempts, { recipientsChanged }) {
      try {
        // Before a delivery is released, so that no other one is sent beside or instead of a probe.
        if (recipientsChanged) read();
      } finally {
        for (const { recipientSeq, deliverySeq, nextAttemptAt } of attempts) {
          lanes.get(recipientSeq)?.held.delete(deliverySeq);
          if (nextAttemptAt !== undefined) noteDue(recipientSeq, nextAttemptAt);
        }
      }
    },
    idle: () => inFlight === 0 && startedThisTurn === 0,
    drain() {
      draining = true;
      starved?.cancel();
      for (const lane of lanes.values()) lane.paced?.cancel();
      return inFlight === 0 ? Promise.resolve() : new Promise((resolve) => (drained = resolve));
    },
  };
}

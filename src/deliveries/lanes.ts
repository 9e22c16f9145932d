import type { Clock, Instant, Timer } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { AttemptResult, Message, NotAttempted } from "./channel.ts";
import type { DueDeliveries, DueDelivery } from "./due.ts";
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
  /** Notes that results were recorded. */
  noteRecorded(attempts: readonly RecordedAttempt[]): void;
  /** Returns whether no attempt is in flight or about to start now. */
  idle(): boolean;
  /** Starts no more attempts. Resolves when none is in flight. */
  drain(): Promise<void>;
}

interface Lane {
  recipient: Recipient;
  enabled: boolean;
  /** Deliveries read from the database and not started. */
  queue: DueDelivery[];
  /** Deliveries that are queued, in flight, or finished and not recorded. */
  held: Set<number>;
  inFlight: number;
  /** Whether the last attempt failed. Then one attempt at a time shows whether the recipient responds again. */
  failing: boolean;
  /** Time at which a delivery that is not held is due; null if there is none. */
  nextDueAt: Instant | null;
  /** Earliest start that the rate limit allows, in monotonic milliseconds. */
  notBeforeMs: number;
  /** Set while the rate limit delays an attempt. */
  paced: Timer | undefined;
}

/** Pause after an internal error, so that the delivery does not spin. */
const internalErrorPauseMs = 60_000;
/** Due deliveries read ahead per lane. */
const readAhead = 64;
/** Beyond this number of concurrent attempts, only idle lanes start one each. */
const inFlightShared = 1_024;
/** Failing recipients, which may keep connections open until the timeout, leave the rest to the others. */
const failingShare = 1 / 2;
/** Pause when no file descriptor is left. */
const descriptorPauseMs = 1_000;
/** A lack of descriptors after a longer time without one is logged again. */
const incidentMs = 10 * 60_000;
const startsPerTurnMax = 64;

export function createLanes({
  clock,
  defaultConcurrency,
  due,
  log,
  recorder,
  requestsMax,
  send,
  signal,
}: {
  clock: Clock;
  /** Maximum number of concurrent attempts per recipient that sets none of its own. */
  defaultConcurrency: number;
  due: DueDeliveries;
  log: Log;
  recorder: Recorder;
  /** Maximum number of concurrent attempts, which the file descriptors permit. */
  requestsMax: number;
  send: Send;
  /** Aborts the attempts in flight. */
  signal: AbortSignal;
}): Lanes {
  const lanes = new Map<number, Lane>();
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
      const { enabled, nextDueAt } = lane;
      if (enabled && nextDueAt !== null && nextDueAt > now && (next === null || nextDueAt < next))
        next = nextDueAt;
    }
    return next;
  }

  function pumpLane(lane: Lane): void {
    while (mayStart(lane)) {
      if (lane.queue.length === 0) fill(lane, due, clock.now());
      if (lane.queue.length === 0 || isDelayedByRate(lane)) return;
      start(lane, lane.queue.shift()!);
    }
  }

  function mayStart(lane: Lane): boolean {
    if (draining || !lane.enabled || recorder.full() || starved !== undefined) return false;
    if (startedThisTurn >= startsPerTurnMax || inFlight >= requestsMax) return false;
    if (lane.failing) return lane.inFlight === 0 && failingInFlight < failingMax;
    const limit = lane.recipient.concurrency ?? defaultConcurrency;
    return lane.inFlight < limit && (inFlight < inFlightShared || lane.inFlight === 0);
  }

  /** Pumps the lane again when its rate limit allows the next attempt. */
  function isDelayedByRate(lane: Lane): boolean {
    const delayMs = takeRateSlot(lane, clock.monotonicMs());
    if (delayMs === 0) return false;
    lane.paced ??= clock.after(Math.ceil(delayMs), () => {
      lane.paced = undefined;
      pumpLane(lane);
    });
    return true;
  }

  function start(lane: Lane, delivery: DueDelivery): void {
    const message = due.message(delivery.eventSeq);
    if (message === undefined) return void lane.held.delete(delivery.seq);
    const wasFailing = lane.failing;
    lane.inFlight += 1;
    inFlight += 1;
    if (wasFailing) failingInFlight += 1;
    startedThisTurn += 1;
    if (startedThisTurn === 1) setImmediate(nextTurn);
    void attempt(lane, delivery, message).finally(() => {
      const wasFull = inFlight >= Math.min(inFlightShared, requestsMax) || failingInFlight >= failingMax;
      lane.inFlight -= 1;
      inFlight -= 1;
      if (wasFailing) failingInFlight -= 1;
      if (wasFull) pump();
      else pumpLane(lane);
      if (inFlight === 0) drained?.();
    });
  }

  /** Lets API requests run in between, even while a thousand recipients have due deliveries. */
  function nextTurn(): void {
    const isMoreDue = startedThisTurn >= startsPerTurnMax;
    startedThisTurn = 0;
    if (isMoreDue) pump();
  }

  async function attempt(lane: Lane, delivery: DueDelivery, message: Message): Promise<void> {
    const { recipient, held } = lane;
    let result: AttemptResult | NotAttempted;
    try {
      result = await send(recipient, message, signal);
    } catch (error) {
      log.error({ error, endpoint: recipient.id }, "delivery attempt aborted by an internal error");
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
    const attempts = delivery.attempts + 1;
    recorder.add({ recipientSeq: recipient.seq, deliverySeq: delivery.seq, attempts, result });
  }

  /** Waits until connections are closed. The deliveries stay due, and no attempt is counted. */
  function pauseForDescriptors(): void {
    const nowMs = clock.monotonicMs();
    if (nowMs - starvedAtMs > incidentMs)
      log.error(
        { requests: inFlight },
        "no file descriptor left; deliveries wait. Raise the limit of open files",
      );
    starvedAtMs = nowMs;
    starved ??= clock.after(descriptorPauseMs, () => {
      starved = undefined;
      pump();
    });
  }

  return {
    read: () => update(lanes, due.recipients()),
    noteDue,
    pump,
    noteRecorded(attempts) {
      for (const { recipientSeq, deliverySeq, nextAttemptAt } of attempts) {
        lanes.get(recipientSeq)?.held.delete(deliverySeq);
        if (nextAttemptAt !== undefined) noteDue(recipientSeq, nextAttemptAt);
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

/** Adds, updates and removes lanes so that they match the enabled recipients. */
function update(lanes: Map<number, Lane>, enabled: ReturnType<DueDeliveries["recipients"]>): void {
  const seen = new Set<number>();
  for (const { recipient, nextDueAt } of enabled) {
    seen.add(recipient.seq);
    const lane = lanes.get(recipient.seq);
    if (lane === undefined) lanes.set(recipient.seq, createLane(recipient, nextDueAt));
    else {
      // Enabling a recipient resets its failures.
      if (recipient.consecutiveFailures === 0 && !lane.enabled) lane.failing = false;
      Object.assign(lane, { recipient, enabled: true, nextDueAt });
    }
  }
  for (const [seq, lane] of lanes) {
    if (seen.has(seq)) continue;
    // Attempts in flight complete. The rest stays in the database until the recipient is enabled again.
    lane.enabled = false;
    for (const delivery of lane.queue) lane.held.delete(delivery.seq);
    lane.queue = [];
    if (lane.held.size === 0) lanes.delete(seq);
  }
}

function createLane(recipient: Recipient, nextDueAt: Instant | null): Lane {
  return {
    recipient,
    enabled: true,
    queue: [],
    held: new Set(),
    inFlight: 0,
    failing: recipient.consecutiveFailures > 0,
    nextDueAt,
    notBeforeMs: 0,
    paced: undefined,
  };
}

/** Reads due deliveries into an empty queue. */
function fill(lane: Lane, due: DueDeliveries, now: Instant): void {
  if (lane.nextDueAt === null || lane.nextDueAt > now) return;
  // Held deliveries are still due in the database, so as many more rows are read.
  const rows = due.next(lane.recipient.seq, now, lane.held.size + readAhead);
  lane.queue = rows.filter((row) => !lane.held.has(row.seq)).slice(0, readAhead);
  for (const row of lane.queue) lane.held.add(row.seq);
  if (lane.queue.length === 0) lane.nextDueAt = due.nextDueAfter(lane.recipient.seq, now);
}

/**
 * Spaces attempts evenly. Returns 0 and takes the slot if an attempt may start now, otherwise the delay until
 * the next slot in milliseconds.
 */
function takeRateSlot(lane: Lane, nowMs: number): number {
  const { ratePerSecond } = lane.recipient;
  if (ratePerSecond === null) return 0;
  const spacingMs = 1_000 / ratePerSecond;
  const delayMs = lane.notBeforeMs - nowMs;
  if (delayMs > 0) return delayMs;
  lane.notBeforeMs = Math.max(lane.notBeforeMs, nowMs - spacingMs) + spacingMs;
  return 0;
}

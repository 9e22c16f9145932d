import type { Instant, Timer } from "../../platform/lib/clock.ts";
import type { DueDeliveries, DueDelivery } from "./due.ts";
import type { Recipient } from "./recipients.ts";

/** The queue of one recipient. */
export interface Lane {
  recipient: Recipient;
  /** Version of the database from which the recipient was read. */
  version: number;
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
  /** Earliest start that the rate limit and the recipient's pause allow, in monotonic milliseconds. */
  notBeforeMs: number;
  /** Set while the rate limit delays an attempt. */
  paced: Timer | undefined;
}

/** Longest pause, so that a mistake of the recipient does not stop its deliveries for days. */
const pauseMsMax = 600_000;
/** Due deliveries read ahead per lane. */
const readAhead = 64;

/** Adds, updates and removes lanes so that they match the enabled recipients. */
export function updateLanes(lanes: Map<number, Lane>, due: DueDeliveries): void {
  const seen = new Set<number>();
  // First, so that a commit in between is noticed.
  const version = due.version();
  for (const { recipient, nextDueAt } of due.recipients()) {
    seen.add(recipient.seq);
    const lane = lanes.get(recipient.seq);
    if (lane === undefined) lanes.set(recipient.seq, createLane(recipient, version, nextDueAt));
    else {
      // Enabling a recipient resets its failures.
      if (recipient.consecutiveFailures === 0 && !lane.enabled) lane.failing = false;
      Object.assign(lane, { recipient, version, enabled: true, nextDueAt });
      if (isHeld(lane)) dropQueue(lane);
    }
  }
  for (const [seq, lane] of lanes) {
    if (seen.has(seq)) continue;
    // Attempts in flight complete. The rest stays in the database until the recipient is enabled again.
    lane.enabled = false;
    dropQueue(lane);
    if (lane.held.size === 0) lanes.delete(seq);
  }
}

/**
 * Reads the recipient again if another process has committed something, so that a change of a command applies to every
 * request that starts after it. Returns whether an attempt may start. If not, the next read of all recipients updates the lane.
 */
export function renew(lane: Lane, due: DueDeliveries): boolean {
  const version = due.version();
  if (lane.version === version) return true;
  const recipient = due.recipient(lane.recipient.seq);
  if (recipient === undefined) {
    lane.enabled = false;
    dropQueue(lane);
    return false;
  }
  const wasHeld = isHeld(lane);
  Object.assign(lane, { recipient, version });
  return isHeld(lane) === wasHeld;
}

/** Leaves the deliveries that were read ahead to the database. */
export function dropQueue(lane: Lane): void {
  for (const delivery of lane.queue) lane.held.delete(delivery.seq);
  lane.queue = [];
}

/** Returns whether the breaker holds the deliveries. */
export function isHeld({ recipient }: Lane): boolean {
  return recipient.nextProbeAt !== null;
}

/**
 * Returns the time at which an attempt may start next, or null if no delivery is waiting. A held lane waits for its
 * probe; after a recovery, until its deliveries are released.
 */
export function nextStartOf({ enabled, held, nextDueAt, recipient }: Lane): Instant | null {
  const { consecutiveFailures, nextProbeAt } = recipient;
  if (!enabled || nextDueAt === null) return null;
  if (nextProbeAt === null) return nextDueAt;
  return held.size > 0 || consecutiveFailures === 0 ? null : nextProbeAt;
}

/** Returns the delivery that probes a held lane now, or undefined if it is not time for a probe. */
export function takeProbe(lane: Lane, due: DueDeliveries, now: Instant): DueDelivery | undefined {
  const at = nextStartOf(lane);
  if (at === null || at > now) return undefined;
  const [delivery] = due.next(lane.recipient.seq, Number.MAX_SAFE_INTEGER, 1);
  if (delivery !== undefined) lane.held.add(delivery.seq);
  return delivery;
}

function createLane(recipient: Recipient, version: number, nextDueAt: Instant | null): Lane {
  return {
    recipient,
    version,
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
export function fill(lane: Lane, due: DueDeliveries, now: Instant): void {
  if (lane.nextDueAt === null || lane.nextDueAt > now) return;
  // Held deliveries are still due in the database, so as many more rows are read.
  const rows = due.next(lane.recipient.seq, now, lane.held.size + readAhead);
  lane.queue = rows.filter((row) => !lane.held.has(row.seq)).slice(0, readAhead);
  for (const row of lane.queue) lane.held.add(row.seq);
  if (lane.queue.length === 0) lane.nextDueAt = due.nextDueAfter(lane.recipient.seq, now);
}

/** Starts no attempt for this time, because the recipient asked for a pause. */
export function pause(lane: Lane, pauseMs: number, nowMs: number): void {
  lane.notBeforeMs = Math.max(lane.notBeforeMs, nowMs + Math.min(pauseMs, pauseMsMax));
}

/**
 * Spaces attempts evenly. Returns 0 and takes the slot if an attempt may start now, otherwise the delay until
 * the next slot in milliseconds.
 */
export function takeRateSlot(lane: Lane, nowMs: number): number {
  const { ratePerSecond } = lane.recipient;
  const delayMs = lane.notBeforeMs - nowMs;
  if (delayMs > 0) return delayMs;
  if (ratePerSecond === null) return 0;
  const spacingMs = 1_000 / ratePerSecond;
  lane.notBeforeMs = Math.max(lane.notBeforeMs, nowMs - spacingMs) + spacingMs;
  return 0;
}

import type { Clock, Instant, Timer } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { AttemptResult, SendAttempt } from "./attempt.ts";
import type { DueDeliveries, DueDelivery } from "./due.ts";
import type { Endpoint } from "./endpoint-store.ts";
import type { RecordedAttempt, Recorder } from "./recorder.ts";

/** The ways of all endpoints. Each endpoint has its own, so that none waits for another. */
export interface Lanes {
  /** Makes them agree with the enabled endpoints and with what waits for them. */
  read(): void;
  /** Something for this endpoint is due at `at`. */
  noteDue(endpointSeq: number, at: Instant): void;
  /** Begins whatever may begin. Answers when the next delivery is due, if one is. */
  pump(): Instant | null;
  /** Results are written down. */
  noteRecorded(attempts: readonly RecordedAttempt[]): void;
  /** Whether nothing is under way, nor about to begin at this time of the clock. */
  idle(): boolean;
  /** Begins nothing more; resolves when nothing is under way. */
  drain(): Promise<void>;
}

interface Lane {
  endpoint: Endpoint;
  enabled: boolean;
  /** Read from the database and not begun yet. */
  queue: DueDelivery[];
  /** Deliveries in the queue, under way, or over and not written down yet. */
  held: Set<number>;
  underWay: number;
  /** When something is due that is not held; null: nothing. */
  nextDueAt: Instant | null;
  /** Before then its rate limit lets nothing begin; has fractions of a millisecond. */
  notBefore: Instant;
  /** Armed while the rate limit holds something up. */
  paced: Timer | undefined;
}

const brokenOffMs = 60_000;
const lookAhead = 64;
// So that file descriptors suffice. An endpoint with nothing under way may always begin one request.
const underWayMax = 1_024;
const beginsPerTurnMax = 64;

export function createLanes({
  clock,
  due,
  endpointConcurrency,
  log,
  recorder,
  send,
  signal,
}: {
  clock: Clock;
  due: DueDeliveries;
  /** For endpoints that say nothing of their own. */
  endpointConcurrency: number;
  log: Log;
  recorder: Recorder;
  send: SendAttempt;
  /** Gives up on what is under way. */
  signal: AbortSignal;
}): Lanes {
  const lanes = new Map<number, Lane>();
  let underWay = 0;
  let begunThisTurn = 0;
  let draining = false;
  let drained: (() => void) | undefined;

  function read(): void {
    const seen = new Set<number>();
    for (const { endpoint, nextDueAt } of due.endpoints()) {
      seen.add(endpoint.seq);
      const lane = lanes.get(endpoint.seq);
      if (lane === undefined) lanes.set(endpoint.seq, newLane(endpoint, nextDueAt));
      else Object.assign(lane, { endpoint, enabled: true, nextDueAt });
    }
    for (const [seq, lane] of lanes) {
      if (seen.has(seq)) continue;
      // What is under way ends as it ends; the rest waits in the database until the endpoint is enabled again.
      lane.enabled = false;
      for (const delivery of lane.queue) lane.held.delete(delivery.seq);
      lane.queue = [];
      if (lane.held.size === 0) lanes.delete(seq);
    }
  }

  function noteDue(endpointSeq: number, at: Instant): void {
    const lane = lanes.get(endpointSeq);
    if (lane !== undefined && (lane.nextDueAt === null || at < lane.nextDueAt)) lane.nextDueAt = at;
  }

  function pump(): Instant | null {
    const now = clock.now();
    let next: Instant | null = null;
    for (const lane of lanes.values()) {
      pumpLane(lane);
      const { enabled, nextDueAt } = lane;
      if (enabled && nextDueAt !== null && nextDueAt > now && (next === null || nextDueAt < next))
        next = nextDueAt;
    }
    return next;
  }

  function pumpLane(lane: Lane): void {
    while (mayBegin(lane)) {
      if (lane.queue.length === 0) fill(lane);
      if (lane.queue.length === 0 || heldUpByRate(lane)) return;
      begin(lane, lane.queue.shift()!);
    }
  }

  function mayBegin(lane: Lane): boolean {
    if (draining || !lane.enabled || recorder.full()) return false;
    if (begunThisTurn >= beginsPerTurnMax) return false;
    const limit = lane.endpoint.concurrency ?? endpointConcurrency;
    return lane.underWay < limit && (underWay < underWayMax || lane.underWay === 0);
  }

  /** Spaces attempts evenly, and comes back when the next one may begin. */
  function heldUpByRate(lane: Lane): boolean {
    const { ratePerSecond } = lane.endpoint;
    if (ratePerSecond === null) return false;
    const now = clock.now();
    const spacingMs = 1_000 / ratePerSecond;
    // A clock that was set back must not hold up an endpoint for longer than its spacing.
    const waitMs = Math.min(lane.notBefore - now, spacingMs);
    if (waitMs <= 0) {
      lane.notBefore = Math.max(lane.notBefore, now - spacingMs) + spacingMs;
      return false;
    }
    lane.paced ??= clock.after(Math.ceil(waitMs), () => {
      lane.paced = undefined;
      pumpLane(lane);
    });
    return true;
  }

  function fill(lane: Lane): void {
    const now = clock.now();
    if (lane.nextDueAt === null || lane.nextDueAt > now) return;
    // Those held are still due in the database, so that many more are read.
    const rows = due.next(lane.endpoint.seq, now, lane.held.size + lookAhead);
    lane.queue = rows.filter((row) => !lane.held.has(row.seq)).slice(0, lookAhead);
    for (const row of lane.queue) lane.held.add(row.seq);
    if (lane.queue.length === 0) lane.nextDueAt = due.nextDueAfter(lane.endpoint.seq, now);
  }

  function begin(lane: Lane, delivery: DueDelivery): void {
    const event = due.event(delivery.eventSeq);
    if (event === undefined) return void lane.held.delete(delivery.seq);
    lane.underWay += 1;
    underWay += 1;
    begunThisTurn += 1;
    if (begunThisTurn === 1) setImmediate(nextTurn);
    void attempt(lane, delivery, event).finally(() => {
      const full = underWay >= underWayMax;
      lane.underWay -= 1;
      underWay -= 1;
      pumpLane(lane);
      if (full) pump();
      if (underWay === 0) drained?.();
    });
  }

  /** Requests to the API get their turn in between, also while a thousand endpoints have something due. */
  function nextTurn(): void {
    const goesOn = begunThisTurn >= beginsPerTurnMax;
    begunThisTurn = 0;
    if (goesOn) pump();
  }

  async function attempt(
    lane: Lane,
    delivery: DueDelivery,
    event: { id: string; body: string },
  ): Promise<void> {
    let result: AttemptResult | undefined;
    try {
      result = await send(lane.endpoint, event, signal);
    } catch (error) {
      // A fault of ours. Tried again, but not at once, or it would spin.
      log.error({ error, endpoint: lane.endpoint.id }, "webhook attempt broke off");
      clock.after(brokenOffMs, () => release(lane, delivery));
      return;
    }
    if (result === undefined) return void lane.held.delete(delivery.seq);
    const attempts = delivery.attempts + 1;
    recorder.add({ endpointSeq: lane.endpoint.seq, deliverySeq: delivery.seq, attempts, result });
  }

  function release(lane: Lane, delivery: DueDelivery): void {
    lane.held.delete(delivery.seq);
    noteDue(lane.endpoint.seq, clock.now());
  }

  return {
    read,
    noteDue,
    pump,
    noteRecorded(attempts) {
      for (const { endpointSeq, deliverySeq, nextAttemptAt } of attempts) {
        lanes.get(endpointSeq)?.held.delete(deliverySeq);
        if (nextAttemptAt !== undefined) noteDue(endpointSeq, nextAttemptAt);
      }
    },
    idle: () => underWay === 0 && begunThisTurn === 0,
    drain() {
      draining = true;
      for (const lane of lanes.values()) lane.paced?.cancel();
      return underWay === 0 ? Promise.resolve() : new Promise((resolve) => (drained = resolve));
    },
  };
}

function newLane(endpoint: Endpoint, nextDueAt: Instant | null): Lane {
  return {
    endpoint,
    enabled: true,
    queue: [],
    held: new Set(),
    underWay: 0,
    nextDueAt,
    notBefore: 0,
    paced: undefined,
  };
}

import type { Instant, Timer } from "../../platform/lib/clock.ts";
import type { Needs } from "../../platform/lib/needs.ts";
import type { AttemptResult, Message, NotAttempted } from "./channel.ts";
import type { DueDelivery } from "./due.ts";
import { dropQueue, pause, type Lane } from "./lane.ts";
import type { Recipient } from "./recipients.ts";
import type { Recorder } from "./recorder.ts";

/** Makes one attempt, or returns why there was none. */
export type Send = (
  recipient: Recipient,
  message: Message,
  signal: AbortSignal,
) => Promise<AttemptResult | NotAttempted>;

export interface LaneSettings {
  /** Maximum number of concurrent attempts per recipient that sets none of its own. Read for each attempt. */
  endpointConcurrency: number;
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

/** Limits the attempts in flight: of each recipient, of all that fail, and of all together; and the starts in a turn. */
export type AttemptSlots = ReturnType<typeof createAttemptSlots>;

/** @param options.onRoom called when more attempts may start, although none has ended */
export function createAttemptSlots({
  clock,
  log,
  onRoom,
  requestsMax,
  settings,
}: Needs<"clock" | "log"> & {
  onRoom: () => void;
  /** Maximum number of concurrent attempts, which the file descriptors permit. */
  requestsMax: number;
  settings: LaneSettings;
}) {
  const inFlightShared = Math.min(inFlightSharedMax, Math.ceil(requestsMax / 2));
  const failingMax = Math.max(1, Math.floor(requestsMax * failingShare));
  let inFlight = 0;
  let failingInFlight = 0;
  let startedThisTurn = 0;
  /** Set while no file descriptor is left. */
  let starved: Timer | undefined;
  let starvedAtMs = Number.NEGATIVE_INFINITY;
  let draining = false;
  let drained: (() => void) | undefined;

  /** Lets API requests run in between, even while a thousand recipients have due deliveries. */
  function nextTurn(): void {
    const isMoreDue = startedThisTurn >= startsPerTurnMax;
    startedThisTurn = 0;
    if (isMoreDue) onRoom();
  }

  return {
    mayTake(lane: Lane): boolean {
      if (draining || starved !== undefined) return false;
      if (startedThisTurn >= startsPerTurnMax || inFlight >= requestsMax) return false;
      if (lane.failing) return lane.inFlight === 0 && failingInFlight < failingMax;
      const limit = lane.recipient.concurrency ?? settings.endpointConcurrency;
      return lane.inFlight < limit && (inFlight < inFlightShared || lane.inFlight === 0);
    },
    /** Returns a function that gives the slot back, and returns whether lanes may have waited for it. */
    take(lane: Lane): () => boolean {
      const wasFailing = lane.failing;
      lane.inFlight += 1;
      inFlight += 1;
      if (wasFailing) failingInFlight += 1;
      startedThisTurn += 1;
      if (startedThisTurn === 1) setImmediate(nextTurn);
      return () => {
        const wasFull = inFlight >= inFlightShared || failingInFlight >= failingMax;
        lane.inFlight -= 1;
        inFlight -= 1;
        if (wasFailing) failingInFlight -= 1;
        if (inFlight === 0) drained?.();
        return wasFull;
      };
    },
    /** Waits until connections are closed. The deliveries stay due, and no attempt is counted. */
    pauseForDescriptors(): void {
      const nowMs = clock.monotonicMs();
      if (nowMs - starvedAtMs > incidentMs) log.event("delivery.no_descriptor", { requests: inFlight });
      starvedAtMs = nowMs;
      starved ??= clock.after(descriptorPauseMs, () => {
        starved = undefined;
        onRoom();
      });
    },
    idle: () => inFlight === 0 && startedThisTurn === 0,
    /** Gives no more slots. Resolves when all were given back. */
    drain(): Promise<void> {
      draining = true;
      starved?.cancel();
      return inFlight === 0 ? Promise.resolve() : new Promise((resolve) => (drained = resolve));
    },
  };
}

interface AttemptDependencies extends Needs<"clock" | "log"> {
  noteDue: (recipientSeq: number, at: Instant) => void;
  pauseForDescriptors: () => void;
  recorder: Recorder;
  send: Send;
  signal: AbortSignal;
}

/** Returns a function that makes one attempt and passes its result to the recorder. */
export function createAttempt(dependencies: AttemptDependencies) {
  const { clock, log, noteDue, pauseForDescriptors, recorder, send, signal } = dependencies;
  /** The delivery stays due. */
  function release({ held, recipient }: Lane, { seq }: DueDelivery): void {
    held.delete(seq);
    noteDue(recipient.seq, clock.now());
  }

  return async (lane: Lane, delivery: DueDelivery, message: Message, isProbe: boolean): Promise<void> => {
    const { recipient, held } = lane;
    let result: AttemptResult | NotAttempted;
    try {
      result = await send(recipient, message, signal);
    } catch (error) {
      log.event("delivery.internal_error", { error, recipient: recipient.id });
      clock.after(internalErrorPauseMs, () => release(lane, delivery));
      return;
    }
    if (result === "aborted") return void held.delete(delivery.seq);
    if (result === "no_descriptor") {
      release(lane, delivery);
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
  };
}

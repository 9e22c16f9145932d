import type { Database } from "../database/database.ts";
import type { Outbox } from "../events/outbox.ts";
import { type EventBody } from "../events/types.ts";
import { pingEventType } from "../vocabulary/events.ts";
import { toIsoTime, type Clock, type Instant, type Timer } from "../lib/clock.ts";
import type { IdFactory } from "../lib/ids.ts";
import { logDropped, type Log } from "../lib/log.ts";
import { every, type Schedule } from "../lib/schedule.ts";
import type { AttemptResult, SendAttempt } from "./attempt.ts";
import type { DueDeliveries } from "./due.ts";
import type { Endpoint } from "./endpoint-store.ts";
import type { Endpoints } from "./endpoints.ts";
import type { FanOut } from "./fan-out.ts";
import { createLanes, type Lanes } from "./lanes.ts";
import type { RecordedAttempt, Recorder } from "./recorder.ts";
import { longestDelayMs, type RetryPolicy } from "./schedule.ts";

/** Brings events to endpoints. */
export interface Dispatcher {
  /** Takes up what waits, from this run or an earlier one. */
  start(): void;
  /** Begins nothing more, waits up to `drainMs` for what is under way, then gives up on it: it is sent again. */
  stop(drainMs?: number): Promise<void>;
  /** Looks at once for new events, changed endpoints and deliveries that were asked for again. */
  wake(): void;
  /** Is kept once nothing is under way, nor anything due at this time of the clock. */
  settled(): Promise<void>;
  /** Sends a `webhook.ping` once, past queue and log, and answers what came of it. */
  test(endpoint: Endpoint): Promise<AttemptResult>;
}

const drainMsDefault = 10_000;
const everySecond = "* * * * * *";
/** Whoever waits for the end of it all looks so often at once, and then once in a while. */
const busyTurns = 1_000;

export function createDispatcher({
  clock,
  database,
  due,
  endpointConcurrency,
  endpoints,
  fanOut,
  ids,
  log,
  makeRecorder,
  outbox,
  policy,
  send,
}: {
  clock: Clock;
  database: Database;
  due: DueDeliveries;
  endpointConcurrency: number;
  endpoints: Endpoints;
  fanOut: FanOut;
  ids: IdFactory;
  log: Log;
  makeRecorder: (onRecorded: OnRecorded) => Recorder;
  outbox: Outbox;
  policy: RetryPolicy;
  send: SendAttempt;
}): Dispatcher {
  let run: Run | undefined;
  let waking: ReturnType<typeof setImmediate> | undefined;
  let dueTimer: Timer | undefined;
  let dueAt: Instant | undefined;
  let stale = true;
  let foreignVersion = -1;
  let lastNow: Instant = Number.POSITIVE_INFINITY;

  function wake(): void {
    // Not within the caller's turn: the answer to the request that made an event should leave first.
    if (run !== undefined) waking ??= setImmediate(work);
  }

  /** One round, short: what is left is taken up in the next turn of the event loop. */
  function work(): void {
    waking = undefined;
    if (run === undefined) return;
    try {
      const now = clock.now();
      if (now < lastNow) mendSchedule(now);
      lastNow = now;
      if (stale) run.lanes.read();
      stale = false;
      const { endpointSeqs, left } = fanOut.step();
      for (const seq of endpointSeqs) run.lanes.noteDue(seq, now);
      const nextDueAt = run.lanes.pump();
      if (nextDueAt !== null) wakeAt(nextDueAt);
      if (left) wake();
    } catch (error) {
      // A full disk, say: what waits is in the database, and the next poll tries again.
      stale = true;
      logDropped(log, error, "webhook deliveries are held up");
    }
  }

  function wakeAt(instant: Instant): void {
    if (dueAt === instant) return;
    dueTimer?.cancel();
    dueAt = instant;
    dueTimer = clock.at(instant, () => {
      dueAt = undefined;
      wake();
    });
  }

  /** Once a second and no more often, for another process may commit all the time. */
  function lookAbroad(): void {
    const version = database.foreignVersion();
    if (version !== foreignVersion) stale = true;
    foreignVersion = version;
    wake();
  }

  /** At the start, and when the clock has been set back. */
  function mendSchedule(now: Instant): void {
    const mended = due.clamp(now + longestDelayMs(policy));
    if (mended === 0) return;
    stale = true;
    log.warn({ deliveries: mended }, "the clock was set back; webhook retries brought forward");
  }

  const onRecorded: OnRecorded = (attempts, endpointsChanged) => {
    run?.lanes.noteRecorded(attempts);
    if (endpointsChanged) stale = true;
    wake();
  };

  const lookAnew = () => {
    stale = true;
    wake();
  };
  outbox.onRecorded(wake);
  endpoints.onChanged(lookAnew);

  return {
    start() {
      const giveUp = new AbortController();
      const recorder = makeRecorder(onRecorded);
      run = {
        giveUp,
        recorder,
        lanes: createLanes({ clock, due, endpointConcurrency, log, recorder, send, signal: giveUp.signal }),
        // Finds what other processes wrote; nobody else sees what is in memory.
        poll:
          database.path === ":memory:" ? undefined : every({ clock, pattern: everySecond, run: lookAbroad }),
      };
      lookAnew();
    },
    async stop(drainMs = drainMsDefault) {
      if (run === undefined) return;
      const { giveUp, lanes, poll, recorder } = run;
      run = undefined;
      poll?.stop();
      dueTimer?.cancel();
      dueAt = undefined;
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, drainMs);
      await Promise.race([lanes.drain(), late]);
      clearTimeout(timer);
      giveUp.abort();
      // Lets what has just ended hand in its result.
      await new Promise((next) => setImmediate(next));
      recorder.close();
    },
    wake: lookAnew,
    async settled() {
      for (let turns = 0; ; turns += 1) {
        if (run === undefined) return;
        const { lanes, recorder } = run;
        if (lanes.idle() && waking === undefined && recorder.idle()) return;
        // What gathers results in groups need not wait for more where none are to come.
        if (lanes.idle()) recorder.flush();
        await new Promise((next) => (turns < busyTurns ? setImmediate(next) : setTimeout(next, 1)));
      }
    },
    async test(endpoint) {
      const id = ids.next("event");
      const body: EventBody = { id, type: pingEventType, created_at: toIsoTime(clock.now()), data: {} };
      const result = await send(endpoint, { id, body: JSON.stringify(body) });
      if (result === undefined) throw new Error("a ping is never given up");
      return result;
    },
  };
}

type OnRecorded = (attempts: readonly RecordedAttempt[], endpointsChanged: boolean) => void;

/** What there is between start and stop. */
interface Run {
  giveUp: AbortController;
  lanes: Lanes;
  poll: Schedule | undefined;
  recorder: Recorder;
}

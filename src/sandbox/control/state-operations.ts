import { Type } from "@sinclair/typebox";
import { toIsoTime, type Instant } from "../../platform/lib/clock.ts";
import { durationMsMax } from "../../platform/lib/durations.ts";
import { badRequest, notFound } from "../../platform/lib/errors.ts";
import {
  bodyOf,
  empty,
  operation,
  optionalFlag,
  optionalText,
  readDuration,
  readTime,
  returns,
} from "./operation.ts";
import { clock as clockSchema, ready } from "./schemas.ts";
import type { SandboxState } from "./state.ts";

const clockResponse = returns("The clock", clockSchema);
const snapshotResponse = {
  description: "Name of the snapshot",
  schema: Type.Object({ data: Type.Object({ snapshot: Type.String() }) }),
};

const describeClock = (state: SandboxState) => {
  const { clock } = state.instance();
  return { data: { now: toIsoTime(clock.now()), flows: clock.flows() } };
};

/** Operations on the sandbox as a whole: its description, clock, reset and snapshots. */
export const stateOperations = [
  operation({
    method: "GET",
    path: "/sandbox",
    id: "getSandbox",
    summary: "Returns the ready line: URLs and keys",
    response: returns("The ready line", ready),
    run: (state) => ({ data: state.ready }),
  }),
  operation({
    method: "GET",
    path: "/sandbox/clock",
    id: "getClock",
    summary: "Returns the sandbox time",
    response: clockResponse,
    run: (state) => describeClock(state),
  }),
  operation({
    method: "POST",
    path: "/sandbox/clock",
    id: "moveClock",
    summary: "Advances, sets or starts the clock",
    description:
      "Send exactly one field. Whatever becomes due on the way happens at exactly its time and in order: " +
      "delivery retries, rate limits, key expiry, schedules. The call returns once all of it has happened. " +
      "After `advance` and `set`, the clock stands still.",
    body: bodyOf({
      advance: optionalText("time to advance by, such as 1m or 2h"),
      set: optionalText("an ISO 8601 time; setting an earlier time does not undo later changes"),
      run: optionalFlag("true: the clock runs with real time; false: the clock stops"),
    }),
    response: clockResponse,
    async run(state, { body: { advance, set, run } }) {
      if ([advance, set, run].filter((field) => field !== undefined).length !== 1)
        throw badRequest('Send exactly one of "advance", "set" and "run".');
      const { clock } = state.instance();
      if (advance !== undefined) await clock.advance(readDuration("advance", advance));
      if (set !== undefined) await clock.set(readNearTime(set, clock.now()));
      if (run === true) clock.run();
      if (run === false) clock.freeze();
      return describeClock(state);
    },
  }),
  operation({
    method: "POST",
    path: "/sandbox/reset",
    id: "reset",
    summary:
      "Resets everything to its initial state: data, clock, limits, webhook endpoints, inboxes, faults",
    description:
      "A concurrent request sees either the state before or the state after. Deliveries in flight are aborted. " +
      "Snapshots are kept.",
    response: empty,
    async run(state) {
      await state.reset();
      return { data: {} };
    },
  }),
  operation({
    method: "POST",
    path: "/sandbox/snapshot",
    id: "takeSnapshot",
    summary: "Takes a snapshot of data, clock, webhook endpoints and inboxes",
    response: snapshotResponse,
    run: (state) => ({ data: { snapshot: state.snapshot() } }),
  }),
  operation({
    method: "POST",
    path: "/sandbox/restore",
    id: "restoreSnapshot",
    summary: "Restores a snapshot: the latest or the given one",
    description: "Like a reset, but to the snapshot. Rate limits start over, and faults are cleared.",
    body: bodyOf({ snapshot: Type.Optional(Type.String()) }),
    response: snapshotResponse,
    async run(state, { body }) {
      const snapshot = await state.restore(body.snapshot);
      if (snapshot === undefined)
        throw notFound("There is no snapshot with this name. Take one with POST /sandbox/snapshot.");
      return { data: { snapshot } };
    },
  }),
];

/** Limits how far the clock moves: running the schedules of a millennium would take an hour. */
function readNearTime(text: string, now: Instant): Instant {
  const instant = readTime("set", text);
  if (instant - now <= durationMsMax) return instant;
  throw badRequest('"set" is more than ten years ahead; start a sandbox with --time for a distant time.');
}

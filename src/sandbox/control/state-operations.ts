import { Type } from "@sinclair/typebox";
import { toIsoTime, type Instant } from "../../lib/clock.ts";
import { durationMsMax } from "../../lib/durations.ts";
import { badRequest, notFound } from "../../lib/errors.ts";
import { closed, operation, readDuration, readTime } from "./operation.ts";
import { clock as clockSchema, ready, nothing } from "./schemas.ts";
import type { SandboxState } from "./state.ts";

const clockAnswer = Type.Object({ data: clockSchema });
const snapshotAnswer = Type.Object({ data: Type.Object({ snapshot: Type.String() }) });

const describeClock = (state: SandboxState) => {
  const { clock } = state.instance();
  return { data: { now: toIsoTime(clock.now()), flows: clock.flows() } };
};

/** The sandbox as a whole: what it is, its clock, back to the start. */
export const stateOperations = [
  operation({
    method: "GET",
    path: "/sandbox",
    id: "getSandbox",
    summary: "What was printed at the start: addresses and keys",
    answer: Type.Object({ data: ready }),
    run: (state) => ({ data: state.ready }),
  }),
  operation({
    method: "GET",
    path: "/sandbox/clock",
    id: "getClock",
    summary: "What time it is",
    answer: clockAnswer,
    run: (state) => describeClock(state),
  }),
  operation({
    method: "POST",
    path: "/sandbox/clock",
    id: "moveClock",
    summary: "Moves the clock, or lets it flow",
    description:
      "Give exactly one field. Whatever becomes due on the way happens at exactly its time and in its order: " +
      "retries of deliveries, rate limits, expiry of keys, schedules. The answer comes once all of it has happened. " +
      "After advance and set the clock stands still.",
    body: Type.Object(
      {
        advance: Type.Optional(Type.String({ description: "how much time is to pass, as in 1m or 2h" })),
        set: Type.Optional(
          Type.String({ description: "an ISO 8601 time; one that is past undoes nothing that has happened" }),
        ),
        run: Type.Optional(
          Type.Boolean({
            description: "true: it flows with real time from where it stands; false: it stands still",
          }),
        ),
      },
      closed,
    ),
    answer: clockAnswer,
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
    summary: "Everything is as at the start: data, clock, limits, webhooks, inboxes, faults",
    description:
      "A request sees everything from before or everything from after. Deliveries under way are given up. " +
      "Snapshots are kept.",
    answer: nothing,
    async run(state) {
      await state.reset();
      return { data: {} };
    },
  }),
  operation({
    method: "POST",
    path: "/sandbox/snapshot",
    id: "takeSnapshot",
    summary: "Keeps the state of data, clock, webhooks and inboxes, to be gone back to",
    answer: snapshotAnswer,
    run: (state) => ({ data: { snapshot: state.snapshot() } }),
  }),
  operation({
    method: "POST",
    path: "/sandbox/restore",
    id: "restoreSnapshot",
    summary: "Back to a snapshot: the last one, or the one that is named",
    description: "Like reset, to another state. Rate limits begin anew, faults are gone.",
    body: Type.Object({ snapshot: Type.Optional(Type.String()) }, closed),
    answer: snapshotAnswer,
    async run(state, { body }) {
      const snapshot = await state.restore(body.snapshot);
      if (snapshot === undefined)
        throw notFound("There is no such snapshot; POST /sandbox/snapshot makes one.");
      return { data: { snapshot } };
    },
  }),
];

/** Everything that is due on the way happens: a millennium of schedules would keep the sandbox busy for an hour. */
function readNearTime(text: string, now: Instant): Instant {
  const instant = readTime("set", text);
  if (instant - now <= durationMsMax) return instant;
  throw badRequest('"set" is more than ten years ahead; start a sandbox with --time for a far time.');
}

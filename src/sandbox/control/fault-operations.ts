import { Type } from "@sinclair/typebox";
import { eventTypes, pingEventType } from "../../vocabulary/events.ts";
import { badRequest } from "../../lib/errors.ts";
import { visible } from "../../lib/safe-text.ts";
import { closed, operation, readDuration } from "./operation.ts";
import { fault as faultSchema, message as messageSchema, nothing } from "./schemas.ts";
import type { Failure } from "../faults/failures.ts";
import { faultsMax } from "../faults/faults.ts";
import { faultStatuses } from "../faults/fault-responses.ts";
import { describeMessage } from "./inbox.ts";
import { requireRoom } from "./receive-delivery.ts";

const timesMax = 1_000_000;
const waitMsMax = 120_000;
const delayMsMax = 600_000;
const messageTypes: readonly string[] = [...eventTypes, pingEventType];
const methods = ["GET", "POST", "PATCH", "PUT", "DELETE", "HEAD", "OPTIONS"] as const;

/** Fields that say how something fails. */
const failureFields = {
  times: Type.Optional(
    Type.Integer({ minimum: 1, maximum: timesMax, description: "how often; absent: once" }),
  ),
  delay: Type.Optional(
    Type.String({ description: "waits so long first, as in 500ms; real time, up to 10m" }),
  ),
  reset: Type.Optional(Type.Boolean({ description: "true: closes the connection without an answer" })),
  silence: Type.Optional(Type.Boolean({ description: "true: never answers" })),
  retry_after: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 86_400, description: "seconds, for the header Retry-After" }),
  ),
};

/** Inboxes, and what deliveries to them and API requests are to suffer. */
export const failureOperations = [
  operation({
    method: "GET",
    path: "/sandbox/inbox/{name}",
    id: "readInbox",
    summary: "What has arrived, oldest first; waits for it if asked to",
    query: {
      wait: "real time to wait for count messages, as in 5s; absent: none",
      type: "only events of this type",
      count: "wait for so many; absent: 1",
    },
    answer: Type.Object({
      data: Type.Array(messageSchema),
      meta: Type.Object({
        total: Type.Integer(),
        complete: Type.Boolean({ description: "whether there are as many as were waited for" }),
      }),
    }),
    async run({ inboxes }, { params, query, signal }) {
      const { wait = "0", type, count = "1" } = query;
      const timeoutMs = readDuration("wait", wait, { allowZero: true });
      if (timeoutMs > waitMsMax) throw badRequest(`"wait" is ${waitMsMax / 1000}s at most.`);
      if (!/^[1-9][0-9]{0,5}$/.test(count)) throw badRequest('"count" is a whole number from 1.');
      // A type that is misspelt would wait its time out and look like a delivery that never came.
      if (type !== undefined && !messageTypes.includes(type))
        throw badRequest(`"type" is "${visible(type, 60)}"; send one of ${messageTypes.join(", ")}.`);
      const found = () => {
        const { messages } = inboxes.get(params["name"]!);
        return type === undefined ? messages : messages.filter((message) => message.type === type);
      };
      const complete = await inboxes.wait(() => found().length >= Number(count), timeoutMs, signal);
      const messages = found();
      return { data: messages.map(describeMessage), meta: { total: messages.length, complete } };
    },
  }),
  operation({
    method: "DELETE",
    path: "/sandbox/inbox/{name}",
    id: "clearInbox",
    summary: "Forgets what has arrived, and what was to fail",
    answer: nothing,
    run({ inboxes }, { params }) {
      inboxes.clear(params["name"]!);
      return { data: {} };
    },
  }),
  operation({
    method: "POST",
    path: "/sandbox/inbox/{name}/failures",
    id: "failInbox",
    summary: "The next deliveries to an inbox fail",
    body: Type.Object(
      { status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599 })), ...failureFields },
      closed,
    ),
    answer: nothing,
    run(state, { params, body }) {
      requireRoom(state, params["name"]!);
      const failure = readFailure(body);
      state.inboxes.get(params["name"]!).failures.push({ failure, left: body.times ?? 1 });
      return { data: {} };
    },
  }),
  operation({
    method: "POST",
    path: "/sandbox/faults",
    id: "addFault",
    summary: "The next API requests that match answer an error, slowly or not at all",
    body: Type.Object(
      {
        method: Type.Optional(
          Type.Union(
            methods.map((method) => Type.Literal(method)),
            { description: "absent: any" },
          ),
        ),
        path: Type.Optional(
          Type.String({ pattern: "^/", maxLength: 500, description: "with * for anything; absent: any" }),
        ),
        status: Type.Optional(
          Type.Union(
            faultStatuses.map((status) => Type.Literal(status)),
            { description: "answers this error" },
          ),
        ),
        ...failureFields,
      },
      closed,
    ),
    answer: nothing,
    run({ faults }, { body: { method, path, times, ...body } }) {
      if (faults.list().length >= faultsMax) throw badRequest(`There are ${faultsMax} faults already.`);
      faults.add({
        ...readFailure(body),
        ...(method === undefined ? {} : { method }),
        ...(path === undefined ? {} : { path }),
        left: times ?? 1,
      });
      return { data: {} };
    },
  }),
  operation({
    method: "GET",
    path: "/sandbox/faults",
    id: "listFaults",
    summary: "What is still to go wrong",
    answer: Type.Object({ data: Type.Array(faultSchema) }),
    run: ({ faults }) => ({
      data: faults.list().map(({ left, method, path, status, delayMs, answer, retryAfterSeconds }) => ({
        left,
        method: method ?? null,
        path: path ?? null,
        status: status ?? null,
        delay_ms: delayMs ?? 0,
        answer: answer ?? null,
        retry_after: retryAfterSeconds ?? null,
      })),
    }),
  }),
  operation({
    method: "DELETE",
    path: "/sandbox/faults",
    id: "clearFaults",
    summary: "Nothing goes wrong any more",
    answer: nothing,
    run({ faults }) {
      faults.clear();
      return { data: {} };
    },
  }),
];

interface FailureBody {
  status?: number;
  delay?: string;
  reset?: boolean;
  silence?: boolean;
  retry_after?: number;
}

/** @throws PublicError `bad_request` for one that says nothing, or two things */
function readFailure({
  status,
  delay,
  reset,
  silence,
  retry_after: retryAfterSeconds,
}: FailureBody): Failure {
  const ends = [status !== undefined, reset === true, silence === true].filter(Boolean).length;
  if (ends > 1) throw badRequest('Send one of "status", "reset" and "silence".');
  if (ends === 0 && delay === undefined)
    throw badRequest('Say what goes wrong: "status", "delay", "reset" or "silence".');
  const delayMs = delay === undefined ? undefined : readDuration("delay", delay);
  if (delayMs !== undefined && delayMs > delayMsMax) throw badRequest('"delay" is 10m at most.');
  return {
    ...(status === undefined ? {} : { status }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(delayMs === undefined ? {} : { delayMs }),
    ...(reset === true
      ? { answer: "reset" as const }
      : silence === true
        ? { answer: "silence" as const }
        : {}),
  };
}

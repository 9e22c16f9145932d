import { Type } from "@sinclair/typebox";
import { choiceParameter, integerParameter } from "../../web/http/query.ts";
import { eventTypes, pingEventType } from "../../platform/vocabulary/events.ts";
import { failureFields, readFailure } from "./fault-operations.ts";
import { describeMessage } from "./inbox.ts";
import { bodyOf, durationParameter, empty, nameSchema, operation } from "./operation.ts";
import { requireRoom } from "./receive-delivery.ts";
import { message as messageSchema } from "./schemas.ts";

const waitMsMax = 120_000;
const countMax = 999_999;

/** Operations on inboxes. */
export const inboxOperations = [
  operation({
    method: "GET",
    path: "/sandbox/inbox/{name}",
    id: "readInbox",
    summary: "Lists the received messages, oldest first; can wait for them",
    params: { name: nameSchema },
    query: {
      wait: durationParameter("real time to wait for count messages, such as 5s; default: none", waitMsMax),
      // An unknown type is rejected: waiting for it would time out, as if a delivery had never arrived.
      type: choiceParameter([...eventTypes, pingEventType], "only events of this type"),
      count: integerParameter({
        description: "number of messages to wait for; default: 1",
        maximum: countMax,
        absent: 1,
      }),
    },
    response: {
      description: "The messages",
      schema: Type.Object({
        data: Type.Array(messageSchema),
        meta: Type.Object({
          total: Type.Integer(),
          complete: Type.Boolean({ description: "Whether at least count messages arrived" }),
        }),
      }),
    },
    async run({ inboxes }, { params, query: { wait, type, count }, request }) {
      const matching = () => {
        const { messages } = inboxes.get(params["name"]!);
        return type === undefined ? messages : messages.filter((message) => message.type === type);
      };
      const complete = await inboxes.wait(() => matching().length >= count, wait, request.signal);
      const messages = matching();
      return { data: messages.map(describeMessage), meta: { total: messages.length, complete } };
    },
  }),
  operation({
    method: "DELETE",
    path: "/sandbox/inbox/{name}",
    id: "clearInbox",
    summary: "Deletes the received messages and the pending failures",
    params: { name: nameSchema },
    response: empty,
    run({ inboxes }, { params }) {
      inboxes.clear(params["name"]!);
      return { data: {} };
    },
  }),
  operation({
    method: "POST",
    path: "/sandbox/inbox/{name}/failures",
    id: "failInbox",
    summary: "Makes the next deliveries to an inbox fail",
    params: { name: nameSchema },
    body: bodyOf({ status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599 })), ...failureFields }),
    response: empty,
    run(state, { params, body }) {
      requireRoom(state, params["name"]!);
      const failure = readFailure(body);
      state.inboxes.get(params["name"]!).failures.push({ failure, left: body.times ?? 1 });
      return { data: {} };
    },
  }),
];

import { Type } from "@sinclair/typebox";
import { system } from "../../access/audit/actor.ts";
import type { Endpoint } from "../../channels/webhook/endpoint.ts";
import type { Delivery } from "../../deliveries/delivery-log.ts";
import { jsonBody } from "../../http/body/json-body.ts";
import { choiceParameter, textParameter } from "../../http/query.ts";
import { optionalIsoTime, toIsoTime } from "../../lib/clock.ts";
import { badRequest } from "../../lib/errors.ts";
import { deliveryStatuses } from "../../vocabulary/deliveries.ts";
import { closed } from "../../vocabulary/schemas.ts";
import { historyRecipients } from "../history/recipient-names.ts";
import { empty, nameSchema, operation } from "./operation.ts";
import { inboxUrl } from "./receive-delivery.ts";
import { delivery as deliverySchema, endpoint as endpointSchema, eventTypeList } from "./schemas.ts";
import type { SandboxState } from "./state.ts";

const deliveriesMax = 1_000;
const inboxName = new RegExp(String(nameSchema.pattern));

/** Operations on webhook endpoints and deliveries. */
export const webhookOperations = [
  operation({
    method: "POST",
    path: "/sandbox/webhooks",
    id: "addWebhook",
    summary: "Adds a webhook endpoint: an inbox of the sandbox, or your own receiver",
    body: jsonBody(
      Type.Object(
        {
          inbox: Type.Optional(Type.String({ description: "name of an inbox: letters, digits, . _ -" })),
          url: Type.Optional(Type.String({ description: "instead of an inbox; http:// is allowed" })),
          name: Type.Optional(Type.String()),
          events: Type.Optional(eventTypeList("default: all")),
          secret: Type.Optional(Type.String({ description: "default: generated" })),
          headers: Type.Optional(Type.Record(Type.String(), Type.String())),
          concurrency: Type.Optional(Type.Integer({ minimum: 1, maximum: 256 })),
          rate_per_second: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 10_000 })),
        },
        closed,
      ),
    ),
    response: { description: "The endpoint", schema: Type.Object({ data: endpointSchema }) },
    run(state, { body: { inbox, url, rate_per_second: ratePerSecond, ...settings } }) {
      if ((inbox === undefined) === (url === undefined))
        throw badRequest('Send "inbox" or "url", exactly one of them.');
      if (inbox !== undefined) requireName(inbox);
      const { endpoints } = state.instance().app.webhooks;
      const target = url ?? inboxUrl(state, inbox!);
      const { endpoint, secret } = endpoints.add(
        {
          ...settings,
          url: target,
          ...(ratePerSecond === undefined ? {} : { ratePerSecond }),
        },
        { by: system },
      );
      return { data: { ...describeEndpoint(endpoint), secret } };
    },
  }),
  operation({
    method: "GET",
    path: "/sandbox/webhooks",
    id: "listWebhooks",
    summary: "Lists the webhook endpoints with their secrets",
    response: { description: "The endpoints", schema: Type.Object({ data: Type.Array(endpointSchema) }) },
    run: (state) => ({
      data: state
        .instance()
        .app.webhooks.endpoints.list()
        .filter(isOfTest)
        .map((endpoint) => ({ ...describeEndpoint(endpoint), secret: endpoint.secret })),
    }),
  }),
  operation({
    method: "DELETE",
    path: "/sandbox/webhooks/{id}",
    id: "removeWebhook",
    summary: "Deletes a webhook endpoint, by its ID or name, with its deliveries",
    params: { id: nameSchema },
    response: empty,
    async run(state, { params }) {
      await state.instance().app.webhooks.endpoints.remove(params["id"]!, { by: system });
      return { data: {} };
    },
  }),
  operation({
    method: "GET",
    path: "/sandbox/deliveries",
    id: "listDeliveries",
    summary: "Lists the deliveries, newest first, each with its attempts and the time of the next one",
    query: {
      endpoint: textParameter("ID or name of an endpoint"),
      event: textParameter("ID of an event"),
      status: choiceParameter(deliveryStatuses, deliveryStatuses.join(", ")),
    },
    response: { description: "The deliveries", schema: Type.Object({ data: Type.Array(deliverySchema) }) },
    run(state, { query: { endpoint, event, status } }) {
      const filter = {
        ...(endpoint === undefined ? {} : { recipient: endpoint }),
        ...(event === undefined ? {} : { event }),
        ...(status === undefined ? {} : { status }),
      };
      const found = state.instance().app.deliveries.log.list(filter, deliveriesMax);
      return {
        data: found
          .filter(({ recipientName }) => isOfTest({ name: recipientName }))
          .map((delivery) => describeDelivery(state, delivery)),
      };
    },
  }),
];

const historyNames: readonly string[] = Object.values(historyRecipients);

/** Returns whether a recipient is not part of the sample data, which no test wants to see. */
function isOfTest({ name }: { name: string }): boolean {
  return !historyNames.includes(name);
}

function requireName(name: string): void {
  if (!inboxName.test(name))
    throw badRequest('"inbox" must be 1 to 64 letters, digits, dots, hyphens and underscores.');
}

function describeEndpoint({ id, name, url, events, enabled }: Endpoint) {
  return { id, name, url, events, enabled };
}

function describeDelivery(state: SandboxState, delivery: Delivery) {
  const { attempts } = state.instance().app.deliveries.log;
  return {
    id: delivery.id,
    event_id: delivery.eventId,
    type: delivery.eventType,
    endpoint: delivery.recipientName,
    status: delivery.status,
    next_attempt_at: optionalIsoTime(delivery.nextAttemptAt),
    attempts: attempts(delivery.id).map(({ startedAt, statusCode, failure, error }) => ({
      at: toIsoTime(startedAt),
      status: statusCode,
      failure,
      error,
    })),
  };
}

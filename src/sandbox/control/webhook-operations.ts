import { Type } from "@sinclair/typebox";
import { system } from "../../access/audit/actor.ts";
import { eventTypes } from "../../vocabulary/events.ts";
import { badRequest } from "../../lib/errors.ts";
import { toIsoTime } from "../../lib/clock.ts";
import type { Delivery } from "../../webhooks/deliveries.ts";
import type { Endpoint } from "../../webhooks/endpoint-store.ts";
import { deliveryStatuses } from "../../vocabulary/deliveries.ts";
import { closed, namePattern, operation } from "./operation.ts";
import { delivery as deliverySchema, endpoint as endpointSchema, nothing } from "./schemas.ts";
import type { SandboxState } from "./state.ts";
import { inboxUrl } from "./receive-delivery.ts";

const inboxName = new RegExp(`^${namePattern}$`);

/** Webhooks, and what became of deliveries. */
export const webhookOperations = [
  operation({
    method: "POST",
    path: "/sandbox/webhooks",
    id: "addWebhook",
    summary: "Registers an endpoint: an inbox of the sandbox, or a receiver of yours",
    body: Type.Object(
      {
        inbox: Type.Optional(Type.String({ description: "name of an inbox: letters, digits, . _ -" })),
        url: Type.Optional(Type.String({ description: "in the place of an inbox; http:// is allowed" })),
        name: Type.Optional(Type.String()),
        events: Type.Optional(
          Type.Array(Type.Union(eventTypes.map((type) => Type.Literal(type))), {
            description: "absent or none: all",
          }),
        ),
        secret: Type.Optional(Type.String({ description: "absent: one is made" })),
        headers: Type.Optional(Type.Record(Type.String(), Type.String())),
        concurrency: Type.Optional(Type.Integer({ minimum: 1, maximum: 256 })),
        rate_per_second: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 10_000 })),
      },
      closed,
    ),
    answer: Type.Object({ data: endpointSchema }),
    run(state, { body: { inbox, url, rate_per_second: ratePerSecond, ...settings } }) {
      if ((inbox === undefined) === (url === undefined))
        throw badRequest('Send "inbox" or "url", one of them.');
      if (inbox !== undefined) requireName(inbox);
      const { endpoints } = state.instance().app.webhooks;
      const target = url ?? inboxUrl(state, inbox!);
      const { endpoint, secret } = endpoints.add(
        {
          ...settings,
          url: target,
          ...(ratePerSecond === undefined ? {} : { ratePerSecond }),
        },
        system,
      );
      return { data: { ...describeEndpoint(endpoint), secret } };
    },
  }),
  operation({
    method: "GET",
    path: "/sandbox/webhooks",
    id: "listWebhooks",
    summary: "The endpoints, with their secrets",
    answer: Type.Object({ data: Type.Array(endpointSchema) }),
    run: (state) => ({
      data: state
        .instance()
        .app.webhooks.endpoints.list()
        .map((endpoint) => ({ ...describeEndpoint(endpoint), secret: endpoint.secret })),
    }),
  }),
  operation({
    method: "DELETE",
    path: "/sandbox/webhooks/{id}",
    id: "removeWebhook",
    summary: "Removes an endpoint, by its id or name, with its deliveries",
    answer: nothing,
    run(state, { params }) {
      state.instance().app.webhooks.endpoints.remove(params["id"]!, system);
      return { data: {} };
    },
  }),
  operation({
    method: "GET",
    path: "/sandbox/deliveries",
    id: "listDeliveries",
    summary: "The delivery log, newest first: every delivery with its attempts and what comes next",
    query: {
      endpoint: "id or name of an endpoint",
      event: "id of an event",
      status: deliveryStatuses.join(", "),
    },
    answer: Type.Object({ data: Type.Array(deliverySchema) }),
    run(state, { query: { status, ...filter } }) {
      const known = deliveryStatuses.find((one) => one === status);
      if (status !== undefined && known === undefined)
        throw badRequest(`status is one of ${deliveryStatuses.join(", ")}.`);
      const { deliveries } = state.instance().app.webhooks;
      const found = deliveries.list({ ...filter, ...(known === undefined ? {} : { status: known }) }, 1_000);
      return { data: found.map((delivery) => describeDelivery(state, delivery)) };
    },
  }),
];

function requireName(name: string): void {
  if (!inboxName.test(name))
    throw badRequest('"inbox" is a name of 1 to 64 letters, digits, dots, hyphens and underscores.');
}

function describeEndpoint({ id, name, url, events, enabled }: Endpoint) {
  return { id, name, url, events, enabled };
}

function describeDelivery(state: SandboxState, delivery: Delivery) {
  const { attempts } = state.instance().app.webhooks.deliveries;
  return {
    id: delivery.id,
    event_id: delivery.eventId,
    type: delivery.eventType,
    endpoint: delivery.endpointName,
    status: delivery.status,
    next_attempt_at: delivery.nextAttemptAt === null ? null : toIsoTime(delivery.nextAttemptAt),
    attempts: attempts(delivery.id).map(({ startedAt, statusCode, failure, error }) => ({
      at: toIsoTime(startedAt),
      status: statusCode,
      failure,
      error,
    })),
  };
}

import { Type } from "@sinclair/typebox";
import { system } from "../../access/audit/actor.ts";
import { signingSecrets, type Endpoint } from "../../messaging/channels/webhook/endpoint.ts";
import type { Delivery } from "../../messaging/deliveries/delivery-log.ts";
import { choiceParameter, textParameter } from "../../web/http/query.ts";
import { optionalIsoTime, toIsoTime } from "../../platform/lib/clock.ts";
import { jsonFields } from "../../platform/lib/key-names.ts";
import { badRequest } from "../../platform/lib/errors.ts";
import { deliveryStatuses, replaySelections } from "../../platform/vocabulary/channels.ts";
import { choice } from "../../platform/vocabulary/schemas.ts";
import { historyRecipients } from "../world/samples.ts";
import {
  bodyOf,
  empty,
  nameSchema,
  operation,
  optionalFlag,
  optionalText,
  readDuration,
  readTime,
  returns,
} from "./operation.ts";
import { inboxUrl } from "./receive-delivery.ts";
import {
  delivery as deliverySchema,
  endpoint as endpointSchema,
  eventTypeList,
  replayed,
} from "./schemas.ts";
import type { SandboxState } from "./state.ts";

const deliveriesMax = 1_000;
const endpointResponse = returns("The endpoint", endpointSchema);
const inboxName = new RegExp(String(nameSchema.pattern));

/** Operations on webhook endpoints and deliveries. */
export const webhookOperations = [
  operation({
    method: "POST",
    path: "/sandbox/webhooks",
    id: "addWebhook",
    summary: "Adds a webhook endpoint: an inbox of the sandbox, or your own receiver",
    body: bodyOf({
      inbox: optionalText("name of an inbox: letters, digits, . _ -"),
      url: optionalText("instead of an inbox; http:// is allowed"),
      name: Type.Optional(Type.String()),
      events: Type.Optional(eventTypeList("default: all")),
      secret: optionalText("default: generated"),
      real_timestamps: optionalFlag(
        "true: signs deliveries to this URL with the real time, which libraries compare with their own clock; " +
          "default: with the sandbox time",
      ),
      headers: Type.Optional(Type.Record(Type.String(), Type.String())),
      concurrency: Type.Optional(Type.Integer({ minimum: 1, maximum: 256 })),
      rate_per_second: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 10_000 })),
    }),
    response: endpointResponse,
    run(state, { body }) {
      const { inbox, url, rate_per_second: ratePerSecond, real_timestamps: isReal, ...settings } = body;
      if ((inbox === undefined) === (url === undefined))
        throw badRequest('Send "inbox" or "url", exactly one of them.');
      if (inbox !== undefined) requireName(inbox);
      const { app, signingTimes } = state.instance();
      const { endpoints } = app.webhooks;
      const target = url ?? inboxUrl(state, inbox!);
      const { endpoint, secret } = endpoints.add({ ...settings, url: target, ratePerSecond }, { by: system });
      if (isReal !== undefined) signingTimes.setReal(endpoint.url, isReal);
      return { data: describeEndpoint(state, { ...endpoint, secret }) };
    },
  }),
  operation({
    method: "GET",
    path: "/sandbox/webhooks",
    id: "listWebhooks",
    summary: "Lists the webhook endpoints with their secrets",
    response: returns("The endpoints", Type.Array(endpointSchema)),
    run: (state) => ({
      data: state
        .instance()
        .app.webhooks.endpoints.list()
        .filter(isOfTest)
        .map((endpoint) => describeEndpoint(state, endpoint)),
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
      const { app, signingTimes } = state.instance();
      const { endpoints } = app.webhooks;
      const { id, url } = endpoints.get(params["id"]!);
      await endpoints.remove(id, { by: system });
      if (!endpoints.list().some((endpoint) => endpoint.url === url)) signingTimes.setReal(url, false);
      return { data: {} };
    },
  }),
  operation({
    method: "POST",
    path: "/sandbox/webhooks/{id}/rotate",
    id: "rotateWebhook",
    summary: "Replaces the secret of an endpoint; the previous one also signs for 24 hours",
    params: { id: nameSchema },
    body: bodyOf({
      secret: optionalText("the new secret; default: generated"),
      overlap: optionalText("sandbox time for which both sign, such as 1h or 0s; default: 24h"),
    }),
    response: endpointResponse,
    run(state, { params, body: { overlap, ...given } }) {
      const overlapMs = overlap === undefined ? undefined : readDuration("overlap", overlap);
      const rotation = { ...given, overlapMs, by: system };
      const { endpoint } = state.instance().app.webhooks.endpoints.rotate(params["id"]!, rotation);
      return { data: describeEndpoint(state, endpoint) };
    },
  }),
  operation({
    method: "POST",
    path: "/sandbox/webhooks/{id}/replay",
    id: "replayWebhook",
    summary: "Sends failed, missed or all events to an endpoint again, since a time",
    params: { id: nameSchema },
    body: bodyOf({
      which: Type.Optional(
        choice(replaySelections, {
          description: "failed deliveries, events that were never sent to it, or all; default: all",
        }),
      ),
      since: optionalText("an ISO 8601 time: only events from then on; default: all"),
    }),
    response: returns("The number of deliveries", replayed),
    async run(state, { params, body: { which = "all", since } }) {
      const { deliveries, webhooks } = state.instance().app;
      const request = {
        which,
        recipient: webhooks.endpoints.get(params["id"]!).id,
        since: since === undefined ? 0 : readTime("since", since),
      };
      return { data: { deliveries: await deliveries.replay.run(request, { by: system }) } };
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
    response: returns("The deliveries", Type.Array(deliverySchema)),
    run(state, { query: { endpoint, event, status } }) {
      const filter = { recipient: endpoint, event, status };
      const found = state.instance().app.deliveries.log.list(filter, deliveriesMax);
      return {
        data: found
          .filter(({ recipientName }) => isOfTest({ name: recipientName }))
          .map((delivery) => describeDelivery(state, delivery)),
      };
    },
  }),
  operation({
    method: "POST",
    path: "/sandbox/deliveries/{id}/redeliver",
    id: "redeliver",
    summary: "Sends a delivery again, with all its retries",
    params: { id: nameSchema },
    response: returns("The delivery", deliverySchema),
    run: (state, { params }) => ({
      data: describeDelivery(
        state,
        state.instance().app.deliveries.replay.redeliver(params["id"]!, { by: system }),
      ),
    }),
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

function describeEndpoint(state: SandboxState, endpoint: Endpoint) {
  const { clock, signingTimes } = state.instance();
  // They stay stored for some time after the end.
  const [, previous = null] = signingSecrets(endpoint, clock.now());
  return {
    ...jsonFields(endpoint, "id name url events enabled"),
    real_timestamps: signingTimes.isReal(endpoint.url),
    secret: endpoint.secret,
    previous_secret: previous,
    previous_secret_until: previous === null ? null : optionalIsoTime(endpoint.previousSecretUntil),
  };
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
    attempts: attempts(delivery.id).map(({ startedAt, statusCode, ...attempt }) => ({
      at: toIsoTime(startedAt),
      status: statusCode,
      ...jsonFields(attempt, "failure error durationMs response"),
    })),
  };
}

import { presentTexts, type EntryPresentation } from "../../../access/entries/presentation.ts";
import {
  stateColumns,
  stateFacts,
  stateJson,
} from "../../deliveries/administration/recipient-presentation.ts";
import { jsonFields } from "../../../platform/lib/key-names.ts";
import { optionalIsoTime, toIsoTime } from "../../../platform/lib/clock.ts";
import { counted } from "../../../platform/lib/wording.ts";
import { eventTypes } from "../../../platform/vocabulary/events.ts";
import { filterText, noFilter } from "../../../threats/events/event-filter.ts";
import type { Endpoint } from "./endpoint.ts";
import texts from "./presentation.json" with { type: "json" };
import type { Webhooks } from "./webhooks.ts";

export const endpointPresentation: EntryPresentation<Endpoint, { webhooks: Webhooks }> = {
  ...presentTexts(texts, { events: { choices: eventTypes } }),
  service: ({ webhooks }) => webhooks.endpoints,
  columns: () => [
    { title: "url", cell: ({ url }) => url, elastic: true },
    { title: "events", cell: ({ events }) => events.join(" ") || "all", elastic: true },
    ...stateColumns,
  ],
  facts: (endpoint) => [
    ["url", endpoint.url],
    ["events", endpoint.events.join(", ") || "all"],
    ["filter", endpoint.filter === null ? "all threats" : filterText(endpoint.filter)],
    ...stateFacts(endpoint),
    // Header values may be secret.
    ["headers", Object.keys(endpoint.headers).join(", ") || null],
    ["concurrency", endpoint.concurrency === null ? null : String(endpoint.concurrency)],
    ["rate limit", rateText(endpoint)],
    ["created", toIsoTime(endpoint.createdAt)],
  ],
  json: (endpoint) => ({
    ...jsonFields(endpoint, "id name url events"),
    ...jsonFields(endpoint.filter ?? noFilter, "minSeverity protectedDomains types sources verifiedOnly"),
    ...stateJson(endpoint),
    previous_secret_until: optionalIsoTime(endpoint.previousSecretUntil),
    // Header values may be secret.
    headers: Object.keys(endpoint.headers),
    ...jsonFields(endpoint, "concurrency ratePerSecond caFile clientCertFile clientKeyFile origin createdAt"),
  }),
};

function rateText({ ratePerSecond }: Endpoint): string | null {
  return ratePerSecond === null ? null : `${counted(ratePerSecond, "request")} per second`;
}

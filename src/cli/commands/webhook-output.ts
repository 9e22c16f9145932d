import type { Endpoint } from "../../messaging/channels/webhook/endpoint.ts";
import { causeOf } from "../../messaging/deliveries/rules/recipient-state.ts";
import { noFilter } from "../../threats/events/event-filter.ts";
import { optionalIsoTime, toIsoTime } from "../../platform/lib/clock.ts";
import { counted } from "../../platform/lib/wording.ts";
import type { Column } from "../terminal/table.ts";
import { originText, stateShape, stateText } from "./recipient-state.ts";
import { filterShape, filterText } from "./filter-flags.ts";

export const columns: Column<Endpoint>[] = [
  { title: "ID", cell: ({ id }) => id },
  { title: "NAME", cell: ({ name }) => name, elastic: true },
  { title: "URL", cell: ({ url }) => url, elastic: true },
  { title: "EVENTS", cell: ({ events }) => events.join(" ") || "all", elastic: true },
  { title: "FROM", cell: originText },
  { title: "STATE", cell: stateText },
  { title: "CAUSE", cell: (endpoint) => causeOf(endpoint) ?? "", elastic: true },
];

/** Returns what there is to know about an endpoint, except its secrets. */
export function endpointFacts(endpoint: Endpoint): [name: string, value: string | number | null][] {
  const { failingSince, headers, ratePerSecond } = endpoint;
  return [
    ["id", endpoint.id],
    ["name", endpoint.name],
    ["url", endpoint.url],
    ["events", endpoint.events.join(", ") || "all"],
    ["filter", endpoint.filter === null ? "all threats" : filterText(endpoint.filter)],
    ["from", originText(endpoint)],
    ["state", stateText(endpoint)],
    ["failing since", optionalIsoTime(failingSince)],
    ["cause", causeOf(endpoint)],
    // Header values may be secret.
    ["headers", Object.keys(headers).join(", ") || null],
    ["concurrency", endpoint.concurrency],
    ["rate limit", ratePerSecond === null ? null : `${counted(ratePerSecond, "request")} per second`],
    ["created", toIsoTime(endpoint.createdAt)],
  ];
}

/** Returns the JSON form in command output; programs read its field names. */
export function shape(endpoint: Endpoint) {
  const { id, name, url, events, origin } = endpoint;
  return {
    id,
    name,
    url,
    events,
    ...filterShape(endpoint.filter ?? noFilter),
    ...stateShape(endpoint),
    previous_secret_until: optionalIsoTime(endpoint.previousSecretUntil),
    // Header values may be secret.
    headers: Object.keys(endpoint.headers),
    concurrency: endpoint.concurrency,
    rate_per_second: endpoint.ratePerSecond,
    ca_file: endpoint.caFile,
    client_cert_file: endpoint.clientCertFile,
    client_key_file: endpoint.clientKeyFile,
    origin,
    created_at: toIsoTime(endpoint.createdAt),
  };
}

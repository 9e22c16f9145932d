import type { Endpoint } from "../../channels/webhook/endpoint.ts";
import { causeOf, recipientState } from "../../deliveries/rules/recipient-state.ts";
import { toIsoTime, type Instant } from "../../lib/clock.ts";
import { counted } from "../../lib/wording.ts";
import { shortTime, type Column } from "../terminal/table.ts";

export const columns: Column<Endpoint>[] = [
  { title: "ID", cell: ({ id }) => id },
  { title: "NAME", cell: ({ name }) => name, elastic: true },
  { title: "URL", cell: ({ url }) => url, elastic: true },
  { title: "EVENTS", cell: ({ events }) => events.join(" ") || "all", elastic: true },
  { title: "FROM", cell: ({ origin }) => (origin === "file" ? "configuration" : "added") },
  { title: "STATE", cell: (endpoint) => state(endpoint) },
  { title: "CAUSE", cell: (endpoint) => causeOf(endpoint) ?? "", elastic: true },
];

function state(endpoint: Endpoint): string {
  const { disabledReason, consecutiveFailures, nextProbeAt } = endpoint;
  const failures = `${consecutiveFailures} in a row`;
  switch (recipientState(endpoint)) {
    case "disabled":
      return disabledReason === null ? "disabled" : `disabled (${disabledReason})`;
    case "held":
      return `held (${failures}), next probe ${nextProbeAt === null ? "soon" : shortTime(nextProbeAt)}`;
    case "failing":
      return `failing (${failures})`;
    case "enabled":
      return "enabled";
  }
}

/** Returns what there is to know about an endpoint, except its secrets. */
export function endpointFacts(endpoint: Endpoint): [name: string, value: string | number | null][] {
  const { failingSince, headers, ratePerSecond } = endpoint;
  return [
    ["id", endpoint.id],
    ["name", endpoint.name],
    ["url", endpoint.url],
    ["events", endpoint.events.join(", ") || "all"],
    ["from", endpoint.origin === "file" ? "configuration" : "added"],
    ["state", state(endpoint)],
    ["failing since", failingSince === null ? null : toIsoTime(failingSince)],
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
  const { id, name, url, events, enabled, origin, disabledReason, consecutiveFailures } = endpoint;
  const time = (instant: Instant | null) => (instant === null ? null : toIsoTime(instant));
  return {
    id,
    name,
    url,
    events,
    enabled,
    disabled_reason: disabledReason,
    consecutive_failures: consecutiveFailures,
    failing_since: time(endpoint.failingSince),
    state: recipientState(endpoint),
    cause: causeOf(endpoint),
    next_probe_at: time(endpoint.nextProbeAt),
    previous_secret_until: time(endpoint.previousSecretUntil),
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

import {
  disabledField,
  field,
  filterField,
  type EntryPresentation,
} from "../../../access/entries/presentation.ts";
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
import type { Webhooks } from "./webhooks.ts";

export const endpointPresentation: EntryPresentation<Endpoint, { webhooks: Webhooks }> = {
  noun: "endpoint",
  group: "webhooks",
  summary: "webhook endpoints and their deliveries",
  example: "soc",
  service: ({ webhooks }) => webhooks.endpoints,
  commands: {
    add: {
      summary: "add a webhook endpoint",
      argument: "url",
    },
    change: {
      summary: "change a webhook endpoint",
    },
    list: {
      summary: "list webhook endpoints (secrets are never shown)",
      purpose: "endpoints and their state",
    },
    show: { summary: "show a webhook endpoint, its state and why it fails" },
    remove: { summary: "remove a webhook endpoint and its deliveries" },
    enable: {
      summary: "enable a webhook endpoint",
    },
    disable: {
      summary: "disable a webhook endpoint; pending deliveries stay queued",
    },
  },
  fields: [
    field("name", "text", "--name <name>", "name (default: made from the host)", { in: ["add"] }),
    field("url", "text", "--url <url>", "new URL", { in: ["change"] }),
    field("events", { choices: eventTypes }, "--event <type>", "only events of this type"),
    filterField,
    field("headers", "headers", "--header <header>", `a custom header, as "Name: value"`),
    field(
      "concurrency",
      { maximum: 256, whole: true },
      "--concurrency <count>",
      "maximum concurrent requests; 0 for webhooks.endpoint_concurrency",
    ),
    field(
      "ratePerSecond",
      { maximum: 10_000, whole: false },
      "--rate <count>",
      "maximum attempts per second; 0 for no limit",
    ),
    field("caFile", "path", "--ca-file <file>", `a certificate authority to trust, PEM; "" for none`),
    field("clientCertFile", "path", "--client-cert <file>", `a certificate for mutual TLS, PEM; "" for none`),
    field(
      "clientKeyFile",
      "path",
      "--client-key <file>",
      `the private key of that certificate, PEM; "" for none`,
    ),
    field(
      "secret",
      "secret",
      "--secret-file <file>",
      'take the secret from this file, or from standard input for "-"',
      { in: ["add", "rotate"] },
    ),
    field("filter", "all_threats", "--all-threats", "remove all filters, before others are set", {
      in: ["change"],
    }),
    field("events", { clear: [] }, "--all-events", "events of all types", { in: ["change"] }),
    field("headers", { clear: {} }, "--clear-headers", "remove all custom headers", { in: ["change"] }),
    disabledField,
  ],
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

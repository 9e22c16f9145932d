import { jsonOf, type EntryPresentation } from "../../../access/entries/presentation.ts";
import {
  stateColumns,
  stateFacts,
  stateJson,
} from "../../deliveries/administration/recipient-presentation.ts";
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
      details:
        "Prints the signing secret on standard output, only once. A running server uses the endpoint at once.",
      examples: [
        [
          "phishwatch webhooks add https://soc.example/hooks --name soc --test",
          "all events, with a first ping",
        ],
        ["phishwatch webhooks add https://soc.example/new --event threat.created", "new threats only"],
        ["phishwatch webhooks add https://soc.example/urgent --min-severity high", "severe threats only"],
      ],
    },
    change: {
      summary: "change a webhook endpoint",
      details: "Changes only what is given. A running server uses the changes at once.",
      examples: [
        ["phishwatch webhooks change soc --event threat.created --rate 5", "fewer events, at a limited rate"],
      ],
    },
    list: {
      summary: "list webhook endpoints (secrets are never shown)",
      purpose: "endpoints and their state",
    },
    show: { summary: "show a webhook endpoint, its state and why it fails" },
    remove: { summary: "remove a webhook endpoint and its deliveries" },
    enable: {
      summary: "enable a webhook endpoint",
      details:
        "Pending deliveries continue at once. Prints how many events it missed; 'webhooks replay' sends them.",
    },
    disable: {
      summary: "disable a webhook endpoint; pending deliveries stay queued",
      details: `Works for declared endpoints, too. The endpoint stays disabled, across restarts, until it is enabled. Events in the
meantime are not queued for it: 'webhooks enable' prints how to send them.`,
    },
  },
  fields: [
    {
      name: "name",
      type: "text",
      in: ["add"],
      option: "--name <name>",
      description: "name (default: made from the host)",
    },
    { name: "url", type: "text", in: ["change"], option: "--url <url>", description: "new URL" },
    {
      name: "events",
      type: "choices",
      values: eventTypes,
      option: "--event <type>",
      description: "only events of this type",
    },
    { name: "filter", type: "filter" },
    {
      name: "headers",
      type: "headers",
      option: "--header <header>",
      description: `a custom header, as "Name: value"`,
    },
    {
      name: "concurrency",
      type: "number",
      maximum: 256,
      whole: true,
      option: "--concurrency <count>",
      description: "maximum concurrent requests; 0 for webhooks.endpoint_concurrency",
    },
    {
      name: "ratePerSecond",
      type: "number",
      maximum: 10_000,
      whole: false,
      option: "--rate <count>",
      description: "maximum attempts per second; 0 for no limit",
    },
    {
      name: "caFile",
      type: "path",
      option: "--ca-file <file>",
      description: `a certificate authority to trust, PEM; "" for none`,
    },
    {
      name: "clientCertFile",
      type: "path",
      option: "--client-cert <file>",
      description: `a certificate for mutual TLS, PEM; "" for none`,
    },
    {
      name: "clientKeyFile",
      type: "path",
      option: "--client-key <file>",
      description: `the private key of that certificate, PEM; "" for none`,
    },
    {
      name: "secret",
      type: "secret",
      in: ["add", "rotate"],
      option: "--secret-file <file>",
      description: 'take the secret from this file, or from standard input for "-"',
    },
    {
      name: "filter",
      type: "all_threats",
      in: ["change"],
      option: "--all-threats",
      description: "remove all filters, before others are set",
    },
    {
      name: "events",
      type: "clear",
      value: [],
      in: ["change"],
      option: "--all-events",
      description: "events of all types",
    },
    {
      name: "headers",
      type: "clear",
      value: {},
      in: ["change"],
      option: "--clear-headers",
      description: "remove all custom headers",
    },
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
    ...jsonOf(endpoint, "id", "name", "url", "events"),
    ...jsonOf(
      endpoint.filter ?? noFilter,
      "minSeverity",
      "protectedDomains",
      "types",
      "sources",
      "verifiedOnly",
    ),
    ...stateJson(endpoint),
    previous_secret_until: optionalIsoTime(endpoint.previousSecretUntil),
    // Header values may be secret.
    headers: Object.keys(endpoint.headers),
    ...jsonOf(
      endpoint,
      "concurrency",
      "ratePerSecond",
      "caFile",
      "clientCertFile",
      "clientKeyFile",
      "origin",
    ),
    created_at: toIsoTime(endpoint.createdAt),
  }),
};

function rateText({ ratePerSecond }: Endpoint): string | null {
  return ratePerSecond === null ? null : `${counted(ratePerSecond, "request")} per second`;
}

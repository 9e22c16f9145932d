import { eventTypes } from "../../vocabulary/events.ts";
import { defaultPlan, defaultScopes, plans, scopes } from "../../vocabulary/keys.ts";
import { allowMax, keywordsMax } from "../../vocabulary/protected-domains.ts";
import {
  choice,
  integer,
  number,
  optionalSecret,
  optionalText,
  secret,
  tables,
  text,
  type Static,
  texts,
  choices,
} from "../fields/fields.ts";
import { eventFilters, toFilter } from "./notifications.ts";
import {
  readDomain,
  readProtectedDomain,
  readEndpointUrl,
  readHeader,
  readKeyword,
  readName,
  readPath,
} from "../fields/texts.ts";

/** Schema of the `[[entries]]`, which are reconciled with the database at every start. */

export const protectedDomains = tables(
  {
    domain: text("domain", readProtectedDomain, {
      example: "example-bank.com",
      description: "domain to protect",
    }),
    keywords: texts("word", readKeyword, {
      maxItems: keywordsMax,
      description: "additional brand keywords that count as the name of this domain",
    }),
    allow: texts("domain", readDomain, {
      maxItems: allowMax,
      description: "your own names; they and all names below them are never threats",
    }),
  },
  { description: "Protected domains, one entry for each domain.", maxItems: 10_000, live: true },
);

export const apiKeys = tables(
  {
    name: text("name", readName, { example: "ci", description: "unique name" }),
    key: secret(
      { lengthMin: 20, lengthMax: 200, ascii: true, hint: "create one with: openssl rand -hex 24" },
      { example: { env: "PHISHWATCH_CI_KEY" }, description: "20 to 200 visible ASCII characters" },
    ),
    plan: choice(plans, { default: defaultPlan, description: "requests per minute: 60, 600, unlimited" }),
    scopes: choices(scopes, {
      minItems: 1,
      default: [...defaultScopes],
      description: "permitted operations",
    }),
    domains: texts("domain", readProtectedDomain, {
      maxItems: 10_000,
      description: "protected domains that it is bound to; empty = all",
    }),
  },
  {
    description: "Keys of the HTTP API. Create one with: openssl rand -hex 24",
    maxItems: 10_000,
    live: false,
  },
);

export const endpoints = tables(
  {
    name: text("name", readName, { example: "soc", description: "unique name" }),
    url: text("URL", readEndpointUrl, {
      example: "https://soc.example/hooks/phishwatch",
      description: "https://; http:// only with webhooks.allow_http",
    }),
    secret: secret(
      {
        lengthMin: 16,
        lengthMax: 200,
        ascii: true,
        hint: `create one with: echo "whsec_$(openssl rand -base64 32)"`,
      },
      {
        example: { env: "PHISHWATCH_SOC_SECRET" },
        description: "signs each delivery; 16 to 200 visible ASCII characters",
      },
    ),
    events: choices(eventTypes, {
      example: ["threat.created", "threat.resolved"],
      description: "empty = all",
    }),
    ...eventFilters,
    headers: texts("header", readHeader, { maxItems: 20, description: `custom headers, as "Name: value"` }),
    authorization: optionalSecret(
      { lengthMin: 1, lengthMax: 2_000, ascii: false },
      { description: `secret; sent as the Authorization header, such as "Bearer …"` },
    ),
    concurrency: integer(
      { minimum: 0, maximum: 256 },
      { default: 0, description: "maximum number of concurrent requests; 0 = webhooks.endpoint_concurrency" },
    ),
    rate_per_second: number(
      { minimum: 0, maximum: 10_000 },
      { default: 0, description: "maximum number of attempts per second; 0 = no limit" },
    ),
    ca_file: optionalText("path", readPath, {
      description: "PEM file with its certificate authority, in addition to the built-in ones",
    }),
    client_cert: optionalText("path", readPath, {
      description: "PEM file with a certificate for mutual TLS; set both or neither",
    }),
    client_key: optionalText("path", readPath, { description: "PEM file with its private key" }),
  },
  {
    description:
      'Webhook endpoints: receivers of events. Create a secret with: echo "whsec_$(openssl rand -base64 32)"',
    maxItems: 1000,
    live: false,
  },
);

/** Converts an endpoint: null replaces 0 where that means no value of its own, and no limit. */
export function toEndpoint(values: Static<typeof endpoints>[number]) {
  const { name, url, secret: key, events, authorization, headers, ca_file: caFile } = values;
  return {
    name,
    url,
    secret: key,
    events,
    filter: toFilter(values),
    headers: Object.fromEntries([
      ...headers,
      ...(authorization === null ? [] : [["Authorization", authorization] as const]),
    ]),
    /** Null: the default for all endpoints. */
    concurrency: values.concurrency === 0 ? null : values.concurrency,
    /** Null: no limit. */
    ratePerSecond: values.rate_per_second === 0 ? null : values.rate_per_second,
    caFile,
    clientCertFile: values.client_cert,
    clientKeyFile: values.client_key,
  };
}

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

export const protectedDomains = tables("protected_domains", 10_000, {
  domain: text("domain", readProtectedDomain),
  keywords: texts("word", readKeyword, { maxItems: keywordsMax }),
  allow: texts("domain", readDomain, { maxItems: allowMax }),
});

export const apiKeys = tables("api_keys", 10_000, {
  name: text("name", readName),
  key: secret({
    lengthMin: 20,
    lengthMax: 200,
    ascii: true,
    hint: "create one with: openssl rand -hex 24",
  }),
  plan: choice(plans, { default: defaultPlan }),
  scopes: choices(scopes, { minItems: 1, default: [...defaultScopes] }),
  domains: texts("domain", readProtectedDomain, { maxItems: 10_000 }),
});

export const endpoints = tables("webhooks.endpoints", 1000, {
  name: text("name", readName),
  url: text("URL", readEndpointUrl),
  secret: secret({
    lengthMin: 16,
    lengthMax: 200,
    ascii: true,
    hint: `create one with: echo "whsec_$(openssl rand -base64 32)"`,
  }),
  events: choices(eventTypes),
  ...eventFilters,
  headers: texts("header", readHeader, { maxItems: 20 }),
  authorization: optionalSecret({ lengthMin: 1, lengthMax: 2_000, ascii: false }),
  concurrency: integer({ minimum: 0, maximum: 256 }),
  rate_per_second: number({ minimum: 0, maximum: 10_000 }),
  ca_file: optionalText("path", readPath),
  client_cert: optionalText("path", readPath),
  client_key: optionalText("path", readPath),
});

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

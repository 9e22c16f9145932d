import { eventTypes } from "../vocabulary/events.ts";
import { defaultPlan, defaultScopes, plans, scopes } from "../vocabulary/keys.ts";
import { listFormats } from "../vocabulary/lists.ts";
import { allowMax, keywordsMax } from "../vocabulary/protected-domains.ts";
import {
  array,
  choice,
  integer,
  number,
  optionalSecret,
  optionalText,
  secret,
  tables,
  text,
} from "./fields.ts";
import {
  readColumn,
  readDomain,
  readEndpointUrl,
  readHeader,
  readKeyword,
  readName,
  readPath,
} from "./texts.ts";

/** Schema of the `[[entries]]`, which are reconciled with the database at every start. */

const item = (description: string) => ({ description });

export const protectedDomains = tables(
  {
    domain: text("domain", readDomain, { example: "example-bank.com", description: "a domain of yours" }),
    keywords: array(
      text("word", readKeyword, { description: "a word" }),
      { maxItems: keywordsMax, uniqueItems: true },
      { default: [], description: "further brand words that count as this domain's name" },
    ),
    allow: array(
      text("domain", readDomain, item("a domain")),
      { maxItems: allowMax, uniqueItems: true },
      { default: [], description: "names of your own, never threats, with all below them" },
    ),
  },
  { description: "What is protected: one entry for each domain.", maxItems: 10_000, live: true },
);

export const feeds = tables(
  {
    name: text("name", readName, { example: "nrd", description: "unique among the feeds" }),
    path: text("path", readPath, {
      example: "feeds/nrd",
      description: "a file, or a folder that is watched",
    }),
    format: choice(listFormats, {
      default: "auto",
      description: "how names stand in it",
    }),
    column: optionalText("column", readColumn, { description: "csv, jsonl: which field" }),
  },
  {
    description: "Files or folders of names to check, such as newly registered domains; also .gz and .zst.",
    maxItems: 1000,
    live: false,
  },
);

export const apiKeys = tables(
  {
    name: text("name", readName, { example: "ci", description: "unique among the keys" }),
    key: secret(
      { lengthMin: 20, lengthMax: 200, ascii: true, hint: "make one with: openssl rand -hex 24" },
      { example: { env: "PHISHWATCH_CI_KEY" }, description: "20 to 200 visible ASCII characters" },
    ),
    plan: choice(plans, { default: defaultPlan, description: "requests a minute: 60, 600, unlimited" }),
    scopes: array(
      choice(scopes, item("a scope")),
      { minItems: 1, maxItems: scopes.length, uniqueItems: true },
      { default: [...defaultScopes], description: "what it may do" },
    ),
    domains: array(
      text("domain", readDomain, item("a domain")),
      { maxItems: 10_000, uniqueItems: true },
      { default: [], description: "protected domains it is bound to; none = all" },
    ),
  },
  { description: "Keys of the HTTP API. Make one with: openssl rand -hex 24", maxItems: 10_000, live: false },
);

export const endpoints = tables(
  {
    name: text("name", readName, { example: "soc", description: "unique among the endpoints" }),
    url: text("URL", readEndpointUrl, {
      example: "https://soc.example/hooks/phishwatch",
      description: "https://; http:// only with webhooks.allow_http",
    }),
    secret: secret(
      {
        lengthMin: 16,
        lengthMax: 200,
        ascii: true,
        hint: `make one with: echo "whsec_$(openssl rand -base64 32)"`,
      },
      {
        example: { env: "PHISHWATCH_SOC_SECRET" },
        description: "signs each delivery; 16 to 200 visible ASCII characters",
      },
    ),
    events: array(
      choice(eventTypes, item("an event type")),
      { maxItems: eventTypes.length, uniqueItems: true },
      { default: [], example: ["threat.created", "threat.resolved"], description: "none = all" },
    ),
    headers: array(
      text("header", readHeader, item("a header")),
      { maxItems: 20, uniqueItems: true },
      { default: [], description: `sent along, as "Name: value"` },
    ),
    authorization: optionalSecret(
      { lengthMin: 1, lengthMax: 2_000, ascii: false },
      { description: `secret; sent as the Authorization header, such as "Bearer …"` },
    ),
    concurrency: integer(
      { minimum: 0, maximum: 256 },
      { default: 0, description: "most requests under way; 0 = webhooks.endpoint_concurrency" },
    ),
    rate_per_second: number(
      { minimum: 0, maximum: 10_000 },
      { default: 0, description: "most attempts a second; 0 = no limit" },
    ),
    ca_file: optionalText("path", readPath, {
      description: "PEM file with its certificate authority, beside the usual ones",
    }),
    client_cert: optionalText("path", readPath, {
      description: "PEM file with a certificate for mutual TLS; both or none",
    }),
    client_key: optionalText("path", readPath, { description: "PEM file with its private key" }),
  },
  {
    description: 'Receivers of events. Make a secret with: echo "whsec_$(openssl rand -base64 32)"',
    maxItems: 1000,
    live: false,
  },
);

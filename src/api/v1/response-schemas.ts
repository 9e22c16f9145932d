import { registrationSources } from "../../vocabulary/registration.ts";
import { Type, type TSchema } from "@sinclair/typebox";
import { threatTypes } from "../../vocabulary/threats.ts";
import { severities, sources, statuses } from "../../vocabulary/threats.ts";
import { choice } from "./schemas.ts";

/** What the API answers. Nothing is checked against these while serving; the tests check every answer they see. */

const closed = { additionalProperties: false } as const;
export const orNull = (schema: TSchema) => Type.Union([schema, Type.Null()]);
export const time = (description: string) =>
  Type.String({ format: "date-time", description, examples: ["2026-01-15T12:00:01.000Z"] });
export const id = (prefix: string, description: string) =>
  Type.String({ pattern: `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`, description });
export const hostName = (description: string) => Type.String({ description, examples: ["examp1e-bank.com"] });

/** The fields that the list, the detail and the events share. */
export const threatFields = {
  id: id("thr", "Identifier of the threat: a TypeID."),
  domain: hostName("The suspicious domain, in lower case and A-label form."),
  protected_domain: Type.String({
    description: "The protected domain that is imitated.",
    examples: ["example-bank.com"],
  }),
  type: choice(threatTypes, { description: "Kind of imitation; where several fit, the most specific one." }),
  status: choice(statuses, { description: "What is thought of the threat." }),
  severity: choice(severities, { description: "How urgent it is." }),
  similarity: Type.Number({
    minimum: 0,
    maximum: 1,
    description:
      "How close the name is to the protected one, with at most four decimals; 1 cannot be told apart.",
    examples: [0.9375],
  }),
  source: choice(sources, { description: "How it was detected." }),
} as const;

const screenshotUrl = Type.String({
  format: "uri",
  description:
    "A picture of the site, or one that says why there is none. Opens without an API key; cannot be guessed.",
});

const whois = Type.Object(
  {
    source: Type.Optional(choice(registrationSources, { description: "Where the data came from." })),
    registrar: Type.Optional(Type.String()),
    registrar_iana_id: Type.Optional(Type.String()),
    registrant_organization: Type.Optional(Type.String()),
    registrant_country: Type.Optional(Type.String()),
    created_at: Type.Optional(time("When the domain was registered.")),
    updated_at: Type.Optional(time("When the registration was last changed.")),
    expires_at: Type.Optional(time("When the registration ends.")),
    name_servers: Type.Optional(Type.Array(Type.String())),
    status: Type.Optional(Type.Array(Type.String())),
    dnssec: Type.Optional(Type.Boolean()),
    abuse_email: Type.Optional(Type.String()),
    abuse_phone: Type.Optional(Type.String()),
    fetched_at: Type.Optional(time("When this was looked up.")),
  },
  { ...closed, description: "Registration data. A key is present only when its value is known." },
);

const threatListItem = Type.Object(
  {
    ...threatFields,
    first_seen: time("The earliest time at which any source saw the name."),
    screenshot_url: screenshotUrl,
  },
  { ...closed, description: "A threat, as the list shows it." },
);

const threatDetail = Type.Object(
  {
    ...threatFields,
    created_at: time("When the record was written."),
    screenshot_url: screenshotUrl,
    ip_address: orNull(Type.String({ description: "Address of the suspicious domain; null while unknown." })),
    registrar: orNull(
      Type.String({ description: "Registrar of the suspicious domain; null while unknown." }),
    ),
    whois,
  },
  { ...closed, description: "A threat with all that is known of it." },
);

const count = (description: string) => Type.Integer({ minimum: 0, description });

const batchOutcomes = ["updated", "unchanged", "not_found", "forbidden"] as const;

const batchItem = Type.Object(
  {
    id: Type.String({ description: "As it was sent." }),
    outcome: choice(batchOutcomes, { description: "What became of it." }),
    status: Type.Optional(
      choice(statuses, { description: "The status it has now; absent when not found or forbidden." }),
    ),
  },
  closed,
);

const candidateMatch = Type.Object(
  {
    threat_id: threatFields.id,
    protected_domain: threatFields.protected_domain,
    type: threatFields.type,
    similarity: threatFields.similarity,
    outcome: choice(["created", "known"], { description: "Whether the threat is new." }),
  },
  closed,
);

const errorCodes = [
  "bad_request",
  "unauthorized",
  "forbidden",
  "not_found",
  "rate_limit_exceeded",
  "internal_error",
] as const;

/** By the names under which the document holds them. */
export const responseSchemas = {
  ThreatListItem: threatListItem,
  ThreatDetail: threatDetail,
  PageMeta: Type.Object(
    {
      total: count("Threats that match the filter, exactly."),
      page: Type.Integer({ minimum: 1, description: "This page." }),
      per_page: Type.Integer({ minimum: 1, description: "Threats on a page." }),
    },
    closed,
  ),
  BatchItem: batchItem,
  BatchMeta: Type.Object(
    {
      updated: count("Threats whose status changed."),
      unchanged: count("Threats that had the status already."),
      not_found: count("Identifiers of no threat."),
      forbidden: count("Threats that this key may not touch."),
    },
    closed,
  ),
  CandidateResult: Type.Object(
    {
      domain: hostName("The name, in lower case and A-label form."),
      matches: Type.Array(candidateMatch, { description: "One for each protected domain that it imitates." }),
    },
    closed,
  ),
  CandidateMeta: Type.Object(
    {
      received: count("Names that were handed in."),
      invalid: count("Names that are no host names."),
      matched: count("Names that imitate a protected domain."),
      created: count("Threats that are new."),
    },
    closed,
  ),
  Error: Type.Object(
    {
      error: Type.Object(
        {
          code: choice(errorCodes, { description: "Stable, for programs." }),
          message: Type.String({ description: "What to change, for people." }),
        },
        closed,
      ),
    },
    { ...closed, description: "Why a request was refused." },
  ),
} satisfies Record<string, TSchema>;

export type ResponseSchemaName = keyof typeof responseSchemas;

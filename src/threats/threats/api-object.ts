import { type TSchema, Type } from "@sinclair/typebox";
import { type Instant, toIsoTime } from "../../platform/lib/clock.ts";
import { registrationSources } from "../../platform/vocabulary/site.ts";
import { choice, closed, orNull, threatFields, time } from "../../platform/vocabulary/schemas.ts";
import type { ListedThreat, Threat, ThreatDetail } from "./store/queries.ts";

/*
 * The threat object of the API. Each field is described once, with its schema, an example and how it is read; the
 * responses, their schemas and the examples in the OpenAPI document are made from that.
 */

interface ApiField<Source, Value> {
  schema: TSchema;
  example: unknown;
  read(threat: Source, publicUrl: string): Value;
}

/** A field that shows a column as it is. */
function plain<Column extends keyof Threat, Schema extends TSchema>(
  column: Column,
  schema: Schema,
  example: Threat[Column],
) {
  return { schema, example, read: (threat: Pick<Threat, Column>) => threat[column] };
}

function timeField<Column extends "createdAt" | "firstSeen">(
  column: Column,
  description: string,
  example: string,
) {
  return {
    schema: time(description),
    example,
    read: (threat: Record<Column, Instant>) => toIsoTime(threat[column]),
  };
}

const registration = Type.Object(
  {
    source: Type.Optional(choice(registrationSources, { description: "Protocol that supplied the data." })),
    registrar: Type.Optional(Type.String()),
    registrar_iana_id: Type.Optional(Type.String()),
    registrant_organization: Type.Optional(Type.String()),
    registrant_country: Type.Optional(Type.String()),
    created_at: Type.Optional(time("When the domain was registered.")),
    updated_at: Type.Optional(time("When the registration was last changed.")),
    expires_at: Type.Optional(time("When the registration expires.")),
    name_servers: Type.Optional(Type.Array(Type.String())),
    status: Type.Optional(Type.Array(Type.String())),
    dnssec: Type.Optional(Type.Boolean()),
    abuse_email: Type.Optional(Type.String()),
    abuse_phone: Type.Optional(Type.String()),
    fetched_at: Type.Optional(time("When the data was fetched.")),
  },
  { ...closed, description: "Registration data. A key is present only if its value is known." },
);

export const exampleThreatId = "thr_01h455vb4pex5vsknk084sn02q";

/** Fields that the list and the detail share. */
const sharedFields = {
  id: plain("id", threatFields.id, exampleThreatId),
  domain: plain("domain", threatFields.domain, "examp1e-bank.com"),
  protected_domain: plain("protectedDomain", threatFields.protected_domain, "example-bank.com"),
  type: plain("type", threatFields.type, "homograph"),
  status: plain("status", threatFields.status, "active"),
  severity: plain("severity", threatFields.severity, "high"),
  similarity: plain("similarity", threatFields.similarity, 0.9688),
  source: plain("source", threatFields.source, "certificate_transparency"),
};

const screenshotField = {
  schema: Type.String({
    format: "uri",
    description:
      "Screenshot of the site or, if there is none, an image that states why. Opens without an API key and cannot be guessed.",
  }),
  example: `https://phishwatch.example/screenshots/${exampleThreatId}/kJm3Rk0vS2a9Qw1xZb5T7A`,
  /** The URL cannot be guessed: the token is 128 random bits. */
  read: ({ id, screenshotToken }: Pick<Threat, "id" | "screenshotToken">, publicUrl: string) =>
    `${publicUrl}/screenshots/${id}/${screenshotToken}`,
};

const listFields = {
  ...sharedFields,
  first_seen: timeField(
    "firstSeen",
    "The earliest time at which any source saw the domain.",
    "2026-01-15T12:00:01.000Z",
  ),
  screenshot_url: screenshotField,
};

const detailFields = {
  ...sharedFields,
  created_at: timeField("createdAt", "When the record was written.", "2026-01-15T12:00:02.417Z"),
  screenshot_url: screenshotField,
  ip_address: plain(
    "ipAddress",
    orNull(Type.String({ description: "IP address of the suspicious domain; null while unknown." })),
    "192.0.2.10",
  ),
  registrar: plain(
    "registrar",
    orNull(Type.String({ description: "Registrar of the suspicious domain; null while unknown." })),
    "Example Registrar, Inc.",
  ),
  whois: plain("whois", registration, {
    source: "rdap",
    registrar: "Example Registrar, Inc.",
    created_at: "2026-01-14T09:00:00.000Z",
  }),
};

export const threatListItem = Type.Object(mapValues(listFields, "schema"), {
  ...closed,
  $id: "ThreatListItem",
  description: "A threat in the list.",
});

export const threatDetail = Type.Object(mapValues(detailFields, "schema"), {
  ...closed,
  $id: "ThreatDetail",
  description: "A threat with its known facts.",
});

export const exampleListItem = mapValues(listFields, "example");
export const exampleDetail = mapValues(detailFields, "example");

/** Returns a threat as the list shows it. */
export function toListObject(threat: ListedThreat, publicUrl: string) {
  return toObject(listFields, threat, publicUrl);
}

/** Returns the JSON of a threat as the list shows it. */
export function listItemText(threat: ListedThreat, publicUrl: string): string {
  return JSON.stringify(toListObject(threat, publicUrl));
}

/** Returns a threat with its known facts. */
export function toDetailObject(threat: ThreatDetail, publicUrl: string) {
  return toObject(detailFields, threat, publicUrl);
}

/** Returns the JSON of the response that contains a threat with its known facts. */
export function detailResponseText(threat: ThreatDetail, publicUrl: string): string {
  return JSON.stringify({ data: toDetailObject(threat, publicUrl) });
}

type ObjectOf<Fields extends Record<string, ApiField<never, unknown>>> = {
  [Name in keyof Fields]: ReturnType<Fields[Name]["read"]>;
};

function toObject<Source, Fields extends Record<string, ApiField<Source, unknown>>>(
  fields: Fields,
  threat: Source,
  publicUrl: string,
): ObjectOf<Fields> {
  const object: Record<string, unknown> = {};
  for (const name in fields) object[name] = fields[name]!.read(threat, publicUrl);
  return object as ObjectOf<Fields>;
}

function mapValues<Key extends string, Fields extends Record<string, Record<Key, unknown>>>(
  fields: Fields,
  key: Key,
): { [Name in keyof Fields]: Fields[Name][Key] } {
  return Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, one[key]])) as {
    [Name in keyof Fields]: Fields[Name][Key];
  };
}

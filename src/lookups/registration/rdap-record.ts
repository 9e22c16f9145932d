import type { Registration } from "../../vocabulary/registration.ts";
import {
  countryValue,
  emailValue,
  hostNameValue,
  known,
  nameServersMax,
  nameServerValues,
  phoneValue,
  registrarIdValue,
  statusesMax,
  statusValues,
  textValue,
  timeValue,
} from "./registration-values.ts";

export type RdapReading =
  | { kind: "registered"; registration: Registration; related: string | undefined }
  /** An RDAP error object (RFC 9083 §6). */
  | { kind: "error"; errorCode: number | undefined; title: string | undefined }
  | { kind: "unreadable"; reason: string };

/** Maximum number of entities in one response, including nested ones; more than any registry sends. */
const entitiesMax = 64;
const entityDepthMax = 3;
const eventsMax = 64;
const linksMax = 64;
const vcardPropertiesMax = 64;

type Json = Record<string, unknown>;
interface Entity {
  roles: string[];
  json: Json;
  /** Roles of the entities that contain this one. */
  within: string[];
}

/**
 * Reads the registration data of an RDAP domain object (RFC 9083 §5.3). A member that is missing or has another type than
 * the RFC defines counts as unknown.
 * @param domain the name that was queried, in A-label form; a response about another name is unreadable.
 */
export function readRdap(body: string, domain: string): RdapReading {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return { kind: "unreadable", reason: /^\s*</.test(body) ? "HTML instead of JSON" : "not JSON" };
  }
  if (!isObject(json)) return { kind: "unreadable", reason: "not a JSON object" };
  if (json["errorCode"] !== undefined) {
    const code = json["errorCode"];
    return {
      kind: "error",
      errorCode: typeof code === "number" ? code : undefined,
      title: textValue(json["title"]),
    };
  }
  const name = hostNameValue(json["ldhName"]) ?? hostNameValue(json["unicodeName"]);
  if (name === undefined || json["objectClassName"] === "entity")
    return { kind: "unreadable", reason: "not a domain object" };
  if (name !== domain) return { kind: "unreadable", reason: "response is about another name" };
  return { kind: "registered", registration: registrationOf(json), related: relatedLink(json) };
}

function registrationOf(json: Json): Registration {
  const entities = entitiesOf(json);
  const registrar = entities.find(({ roles }) => roles.includes("registrar"));
  const registrant = entities.find(({ roles }) => roles.includes("registrant"));
  // The abuse contact of the registrar or of the domain. One that the registrant lists does not count.
  const abuse = entities.find(
    ({ roles, within }) => roles.includes("abuse") && !within.includes("registrant"),
  );
  const registrarCard = cardOf(registrar);
  const registrantCard = cardOf(registrant);
  const abuseCard = cardOf(abuse);
  const events = eventsOf(json);
  const secureDns = json["secureDNS"];
  const signed = isObject(secureDns) ? secureDns["delegationSigned"] : undefined;
  return known({
    source: "rdap",
    registrar: registrarCard.fullName ?? registrarCard.organization,
    registrar_iana_id: registrarIdOf(registrar),
    registrant_organization: registrantCard.organization,
    registrant_country: registrantCard.country,
    created_at: events.get("registration"),
    updated_at: events.get("last changed"),
    expires_at: events.get("expiration") ?? events.get("registrar expiration"),
    name_servers: nameServerValues(
      list(json["nameservers"], nameServersMax).map((server) =>
        isObject(server) ? server["ldhName"] : undefined,
      ),
    ),
    status: statusValues(list(json["status"], statusesMax)),
    dnssec: typeof signed === "boolean" ? signed : undefined,
    abuse_email: abuseCard.email,
    abuse_phone: abuseCard.phone,
  } as Registration);
}

/** Returns the entities up to a limited depth and number, outer ones first. */
function entitiesOf(json: Json): Entity[] {
  const found: Entity[] = [];
  let level: { owner: Json; within: string[] }[] = [{ owner: json, within: [] }];
  for (let depth = 0; depth < entityDepthMax; depth += 1) {
    const next: { owner: Json; within: string[] }[] = [];
    for (const { owner, within } of level) {
      for (const entity of list(owner["entities"], entitiesMax)) {
        if (found.length >= entitiesMax) return found;
        if (!isObject(entity)) continue;
        const roles = list(entity["roles"], 16).filter((role): role is string => typeof role === "string");
        found.push({ roles, json: entity, within });
        next.push({ owner: entity, within: [...within, ...roles] });
      }
    }
    level = next;
  }
  return found;
}

function registrarIdOf(registrar: Entity | undefined): string | undefined {
  for (const id of list(registrar?.json["publicIds"], 8)) {
    if (!isObject(id) || typeof id["type"] !== "string") continue;
    if (/iana registrar id/i.test(id["type"])) return registrarIdValue(id["identifier"]);
  }
  return undefined;
}

interface Card {
  fullName?: string | undefined;
  organization?: string | undefined;
  country?: string | undefined;
  email?: string | undefined;
  phone?: string | undefined;
}

/** Reads a jCard (RFC 7095): `["vcard", [[name, parameters, type, value…], …]]`. */
function cardOf(entity: Entity | undefined): Card {
  const array = entity?.json["vcardArray"];
  const card: Card = {};
  if (!Array.isArray(array)) return card;
  for (const property of list(array[1], vcardPropertiesMax)) {
    if (!Array.isArray(property)) continue;
    const [name, parameters, , value] = property as unknown[];
    switch (typeof name === "string" ? name.toLowerCase() : "") {
      case "fn":
        card.fullName ??= textValue(value);
        break;
      case "org":
        card.organization ??= textValue(Array.isArray(value) ? value[0] : value);
        break;
      case "email":
        card.email ??= emailValue(value);
        break;
      case "tel":
        if (!isFax(parameters)) card.phone ??= phoneValue(value);
        break;
      case "adr":
        card.country ??= countryOf(parameters, value);
        break;
    }
  }
  return card;
}

function isFax(parameters: unknown): boolean {
  const type = isObject(parameters) ? parameters["type"] : undefined;
  return type === "fax" || (Array.isArray(type) && type.includes("fax"));
}

/** Reads the country from the parameter `cc` (RFC 8605), or from the seventh component of the address. */
function countryOf(parameters: unknown, value: unknown): string | undefined {
  const code = isObject(parameters) ? countryValue(parameters["cc"]) : undefined;
  return code ?? (Array.isArray(value) ? countryValue(value[6]) : undefined);
}

/** Returns event times by action. The first event of an action counts. */
function eventsOf(json: Json): Map<string, string> {
  const events = new Map<string, string>();
  for (const event of list(json["events"], eventsMax)) {
    if (!isObject(event) || typeof event["eventAction"] !== "string") continue;
    const action = event["eventAction"].slice(0, 64).toLowerCase();
    const time = timeValue(event["eventDate"]);
    if (time !== undefined && !events.has(action)) events.set(action, time);
  }
  return events;
}

/** Returns the URL of the registrar's record (RFC 9083 §4.2), for registries that hold only part of the data. */
function relatedLink(json: Json): string | undefined {
  for (const link of list(json["links"], linksMax)) {
    if (!isObject(link) || link["rel"] !== "related" || typeof link["href"] !== "string") continue;
    const type = link["type"];
    if (type !== undefined && type !== "application/rdap+json") continue;
    if (/^https?:/i.test(link["href"]) && link["href"].length < 2_000 && URL.canParse(link["href"]))
      return link["href"];
  }
  return undefined;
}

function list(value: unknown, max: number): unknown[] {
  return Array.isArray(value) ? value.slice(0, max) : [];
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

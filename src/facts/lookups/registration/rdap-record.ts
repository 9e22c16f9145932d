import type { Registration } from "../../../platform/vocabulary/site.ts";
import {
  cardOf,
  entitiesOf,
  isObject,
  linkTo,
  list,
  readRdapObject,
  type Entity,
  type Json,
} from "../registries/rdap-entities.ts";
import {
  hostNameValue,
  nameServersMax,
  nameServerValues,
  registrarIdValue,
  statusesMax,
  statusValues,
  textValue,
  timeValue,
} from "../registries/registry-values.ts";
import { known } from "./registration-values.ts";

export type RdapReading =
  /** `related`: the registrar's record (RFC 9083 §4.2), for registries that hold only part of the data. */
  | { kind: "registered"; registration: Registration; related: string | undefined }
  /** An RDAP error object (RFC 9083 §6). */
  | { kind: "error"; errorCode: number | undefined; title: string | undefined }
  | { kind: "unreadable"; reason: string };

const eventsMax = 64;

/**
 * Reads the registration data of an RDAP domain object (RFC 9083 §5.3). A member that is missing or has another type than
 * the RFC defines counts as unknown.
 * @param domain the name that was queried, in A-label form; a response about another name is unreadable.
 */
export function readRdap(body: string, domain: string): RdapReading {
  const read = readRdapObject(body);
  if (!("json" in read)) return read;
  const { json } = read;
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
  return {
    kind: "registered",
    registration: registrationOf(json),
    related: linkTo(json, "related", "application/rdap+json"),
  };
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

function registrarIdOf(registrar: Entity | undefined): string | undefined {
  for (const id of list(registrar?.json["publicIds"], 8)) {
    if (!isObject(id) || typeof id["type"] !== "string") continue;
    if (/iana registrar id/i.test(id["type"])) return registrarIdValue(id["identifier"]);
  }
  return undefined;
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

import {
  cardOf,
  entitiesOf,
  isObject,
  linkTo,
  list,
  readRdapObject,
  type Entity,
  type Json,
  type UnreadableRdap,
} from "../registries/rdap-entities.ts";
import { countryValue, textValue, emailValue } from "../registries/registry-values.ts";
import { rangeAround, type Network } from "./address-range.ts";

export type RdapNetworkReading =
  /** `parentUrl`: the network that contains this one (RFC 9083 §4.2, `up`). */
  | { kind: "network"; network: Omit<Network, "source" | "url">; parentUrl: string | undefined }
  | UnreadableRdap;

const remarksMax = 20;
const linesMax = 40;

/**
 * Reads an IP network object (RFC 9083 §5.4) with the extensions of the regional registries. A member that is missing or
 * has another type counts as unknown.
 * @param address that was queried; a network that does not contain it is unreadable.
 */
export function readRdapNetwork(body: string, address: string): RdapNetworkReading {
  const read = readRdapObject(body);
  if (!("json" in read)) return read;
  const { json } = read;
  const { startAddress: first, endAddress: last } = json;
  if (typeof first !== "string" || typeof last !== "string")
    return { kind: "unreadable", reason: "not a network object" };
  if (rangeAround(first, last, address) === undefined)
    return { kind: "unreadable", reason: "response is about no network of this address" };
  const network = { first: first.trim(), last: last.trim(), ...describe(json) };
  return { kind: "network", network, parentUrl: linkTo(json, "up") };
}

function describe(json: Json): Partial<Network> {
  const entities = entitiesOf(json);
  const registrant = cardOf(entities.find(({ roles }) => roles.includes("registrant")));
  // At ARIN and LACNIC, the contact is part of the organization's entity. Only the role counts, never another address.
  const desks = entities.filter(({ roles }) => roles.includes("abuse")).map(cardOf);
  const desk = desks.find(({ email }) => email !== undefined) ?? desks[0];
  const asn = asnOf(json);
  return withoutUndefined({
    name: textValue(json["name"]),
    organization: registrant.organization ?? registrant.fullName ?? descriptionOf(json),
    country: countryValue(json["country"]) ?? registrant.country,
    asn,
    abuseEmail: desk?.email ?? abuseEmailIn(remarkLines(json, entities)),
    abusePhone: desk?.phone,
  });
}

/** APNIC and AFRINIC describe the holder in a remark of this title. */
function descriptionOf(json: Json): string | undefined {
  const remark = list(json["remarks"], remarksMax).find(
    (found) => isObject(found) && found["title"] === "description",
  );
  return isObject(remark) ? textValue(list(remark["description"], 1)[0]) : undefined;
}

/** Returns the lines of the remarks of the network and its entities, in which registries publish contacts as text. */
function remarkLines(json: Json, entities: readonly Entity[]): string[] {
  return [json, ...entities.map((entity) => entity.json)]
    .flatMap((owner) => [...list(owner["remarks"], remarksMax), ...list(owner["comments"], remarksMax)])
    .flatMap((remark) => (isObject(remark) ? list(remark["description"], linesMax) : []))
    .filter((line): line is string => typeof line === "string");
}

/** Reads the extensions of ARIN, LACNIC and registro.br. */
function asnOf(json: Json): number | undefined {
  const candidates = [
    json["arin_originas0_originautnums"],
    json["lacnic_originAutnum"],
    json["nicbr_autnum"],
  ].flatMap((value) => (Array.isArray(value) ? list(value, 1) : [value]));
  for (const value of candidates) {
    const number = typeof value === "string" ? Number(/^(?:AS)?(\d{1,10})$/i.exec(value)?.[1]) : value;
    if (typeof number === "number" && Number.isInteger(number) && number > 0 && number < 2 ** 32)
      return number;
  }
  return undefined;
}

export function withoutUndefined(values: {
  [Key in keyof Network]?: Network[Key] | undefined;
}): Partial<Network> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** Bounds the work on hostile text. */
const lineCharactersMax = 300;
const textLinesMax = 100;
const address = /[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+/g;

/**
 * Returns the abuse address in free text, such as the remarks of a network: an address whose local part says so, or
 * else the only address in a line about abuse.
 */
export function abuseEmailIn(lines: readonly string[]): string | undefined {
  const found = lines.slice(0, textLinesMax).map((line) => {
    const text = line.slice(0, lineCharactersMax);
    return { isAboutAbuse: /abuse/i.test(text), addresses: text.match(address) ?? [] };
  });
  for (const { addresses } of found) {
    const named = addresses.find((text) => /abuse/i.test(text.slice(0, text.lastIndexOf("@"))));
    if (named !== undefined) return emailValue(named);
  }
  const only = found.find(({ isAboutAbuse, addresses }) => isAboutAbuse && addresses.length === 1);
  return only === undefined ? undefined : emailValue(only.addresses[0]);
}

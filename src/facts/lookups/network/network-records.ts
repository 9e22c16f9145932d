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
import { countryValue, textValue, emailValue, phoneValue } from "../registries/registry-values.ts";
import { rangeAround, type Network, blockEnds, type AddressRange } from "./address-range.ts";
import { type WhoisField, whoisFields, whoisLines } from "../registries/whois-fields.ts";

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

function withoutUndefined(values: {
  [Key in keyof Network]?: Network[Key] | undefined;
}): Partial<Network> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** Bounds the work on hostile text. */
const lineCharactersMax = 300;
const textLinesMax = 100;
const emailForm = /[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+/g;

/**
 * Returns the abuse address in free text, such as the remarks of a network: an address whose local part says so, or
 * else the only address in a line about abuse.
 */
function abuseEmailIn(lines: readonly string[]): string | undefined {
  const found = lines.slice(0, textLinesMax).map((line) => {
    const text = line.slice(0, lineCharactersMax);
    return { isAboutAbuse: /abuse/i.test(text), addresses: text.match(emailForm) ?? [] };
  });
  for (const { addresses } of found) {
    const named = addresses.find((text) => /abuse/i.test(text.slice(0, text.lastIndexOf("@"))));
    if (named !== undefined) return emailValue(named);
  }
  const only = found.find(({ isAboutAbuse, addresses }) => isAboutAbuse && addresses.length === 1);
  return only === undefined ? undefined : emailValue(only.addresses[0]);
}

export type WhoisNetworkReading =
  | { kind: "network"; network: Omit<Network, "source" | "url"> }
  /** The registry refers to another one, such as `whois.ripe.net`. */
  | { kind: "referral"; server: string }
  | { kind: "limited" }
  | { kind: "unreadable"; reason: string };

const rangeKeys = ["inetnum", "inet6num", "netrange", "cidr"];
/** Several times the number of networks in a response. Bounds the work on hostile ones. */
const networksMax = 64;
const organizationKeys = ["orgname", "org-name", "organization", "custname", "owner", "descr"];
const abuseKeys = ["orgabuseemail", "abuse-mailbox"];
/** Only the past tense counts, because the terms of use mention limits as well. */
const limitText =
  /ERROR:201|access denied|(?:query|rate) limit exceeded|limit of queries exceeded|too many (?:queries|requests)/i;

/** Returns the query for an address. ARIN's server treats a bare address as a search of all its objects. */
export function whoisAddressQuery(server: string, address: string): string {
  return `${/^whois\.arin\.net(?::|$)/.test(server) ? "n + " : ""}${address}\r\n`;
}

/**
 * Reads the response of a regional registry's WHOIS server. The paragraphs of the smallest network that contains the
 * address count, with the contact that the registry names for abuse.
 */
export function readWhoisNetwork(text: string, address: string): WhoisNetworkReading {
  if (limitText.test(text.slice(0, 2_000))) return { kind: "limited" };
  const fields = whoisFields(text);
  const network = smallestNetwork(fields, address);
  const referral = fields.find(({ key }) => key === "referralserver")?.value;
  const server = /^r?whois:\/\/([a-z0-9.-]{1,253}(?::\d{1,5})?)\/?$/i.exec(referral ?? "")?.[1];
  if (network === undefined)
    return server === undefined
      ? { kind: "unreadable", reason: "response is about no network of this address" }
      : { kind: "referral", server: server.toLowerCase() };
  const { first, last, own } = network;
  const value = (...keys: string[]) => {
    for (const key of keys) {
      const found = textValue(own.find((field) => field.key === key)?.value);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const origin = /^(?:AS)?(\d{1,10})\b/i.exec(value("originas", "aut-num") ?? "")?.[1];
  return {
    kind: "network",
    network: {
      first,
      last,
      ...withoutUndefined({
        name: value("netname"),
        organization: value(...organizationKeys),
        country: countryValue(own.find(({ key }) => key === "country")?.value),
        asn: origin === undefined ? undefined : Number(origin),
        abuseEmail: abuseEmail(text, fields),
        abusePhone: phoneValue(fields.find(({ key }) => key === "orgabusephone")?.value),
      }),
    },
  };
}

/** Returns the ends of the smallest network that contains the address, and its fields up to the next network. */
function smallestNetwork(fields: readonly WhoisField[], address: string) {
  let left = networksMax;
  let best: { range: AddressRange; first: string; last: string; at: number } | undefined;
  for (const [at, { key, value }] of fields.entries()) {
    if (!rangeKeys.includes(key)) continue;
    if (left-- === 0) break;
    const ends = endsOf(value);
    const range = ends === undefined ? undefined : rangeAround(ends.first, ends.last, address);
    if (ends === undefined || range === undefined) continue;
    if (best === undefined || range.last - range.first < best.range.last - best.range.first)
      best = { range, ...ends, at };
  }
  if (best === undefined) return undefined;
  const { first, last, at } = best;
  const next = fields.findIndex(({ key }, index) => index > at + 1 && rangeKeys.includes(key));
  return { first, last, own: fields.slice(at, next === -1 ? undefined : next) };
}

function endsOf(value: string): { first: string; last: string } | undefined {
  const ends = /^([\da-f.:]{2,45})\s*-\s*([\da-f.:]{2,45})$/i.exec(value.trim());
  return ends === null ? blockEnds(value.split(",")[0]!) : { first: ends[1]!, last: ends[2]! };
}

/**
 * Returns the abuse address by decreasing certainty: what RIPE NCC and AFRINIC state in a comment, the fields that mean
 * only this, the email of the handle that LACNIC names, and remarks.
 */
function abuseEmail(text: string, fields: readonly WhoisField[]): string | undefined {
  for (const line of whoisLines(text)) {
    const stated = /^%\s*abuse contact for '[^']{1,100}' is '([^']{1,254})'/i.exec(line)?.[1];
    if (stated !== undefined) return emailValue(stated);
  }
  for (const key of abuseKeys) {
    const found = emailValue(fields.find((field) => field.key === key)?.value);
    if (found !== undefined) return found;
  }
  const handle = fields.find(({ key }) => key === "abuse-c")?.value;
  const person = fields.findIndex(({ key, value }) => key.startsWith("nic-hdl") && value === handle);
  if (handle !== undefined && person !== -1) {
    const rest = fields.slice(person + 1);
    const end = rest.findIndex(({ key }) => key.startsWith("nic-hdl"));
    const email = (end === -1 ? rest : rest.slice(0, end)).find(({ key }) => key === "e-mail")?.value;
    const found = emailValue(email);
    if (found !== undefined) return found;
  }
  const remarks = fields.filter(({ key }) => ["remarks", "comment", "descr"].includes(key));
  return abuseEmailIn(remarks.map(({ value }) => value));
}

import { countryValue, emailValue, phoneValue, textValue } from "../registries/registry-values.ts";
import { type WhoisField, whoisFields, whoisLines } from "../registries/whois-fields.ts";
import { blockEnds, rangeAround, type AddressRange, type Network } from "./address-range.ts";
import { withoutUndefined, abuseEmailIn } from "./rdap-network.ts";

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

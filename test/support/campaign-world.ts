import type { Facts } from "../../src/facts/enrichment/facts/facts.ts";
import type { ThreatSource } from "../../src/response/cases/campaigns/traits.ts";
import { randomFrom as generator } from "../../scripts/benchmarks/random.ts";

/**
 * Synthetic threats: campaigns of several kinds, mixed with threats of other makers that share hosters, registrars, name
 * servers and icons. Each seed gives the same world.
 */
export interface CampaignWorld {
  threats: ThreatSource[];
  /** Kind of the campaign of a threat and its number, by `seq`. */
  truth: Map<number, { kind: CampaignKind; campaign: number }>;
}

export const campaignKinds = [
  "one address, names of many words",
  "changing addresses, one certificate",
  "names that differ in their numbers",
  "one order at a busy registrar, own name servers",
  "one kit, own name servers, several orders",
  "one kit, own name servers, each name ordered alone",
] as const;
export type CampaignKind = (typeof campaignKinds)[number];

const dayMs = 86_400_000;
const start = Date.parse("2026-01-01T00:00:00Z");
const brands = [
  "acme",
  "borealbank",
  "cirrus",
  "deltapost",
  "evergreen",
  "fjordpay",
  "glacier",
  "harbor",
  "ionic",
  "juniper",
];
const words =
  "login secure account verify support update pay wallet card help online service mobile portal my web id auth check bonus parcel track center alert invoice refund signin access safe customer".split(
    " ",
  );
const suffixes = ["com", "net", "org", "top", "shop", "info", "site", "online"];
const registrars = 20;

/** Returns a number from 0 (inclusive) to `limit` (exclusive). */
type Random = (limit: number) => number;

/** @param count number of threats in total; about a tenth belong to campaigns */
export function campaignWorld({ count, seed }: { count: number; seed: number }): CampaignWorld {
  const random = generator(seed).below;
  const threats: ThreatSource[] = [];
  const truth: CampaignWorld["truth"] = new Map();
  const names = new Set<string>();
  const add = (given: string, brand: string, facts: Omit<Facts, "unknown">, serials: string[] = []) => {
    const seq = threats.length + 1;
    const domain = unused(names, given);
    const status = random(20) === 0 ? "resolved" : "active";
    threats.push({
      seq,
      domain,
      protectedDomain: `${brand}.com`,
      status,
      firstSeen: start,
      originals: new Set(),
      facts: { ...facts, unknown: {} },
      serials,
    });
    return seq;
  };
  let campaign = 0;
  while (threats.length < count) {
    if (random(400) !== 0) {
      addNoise(random, add, count);
      continue;
    }
    campaign += 1;
    const kind = campaignKinds[campaign % campaignKinds.length]!;
    for (const seq of addCampaign(random, add, { kind, campaign })) truth.set(seq, { kind, campaign });
  }
  return { threats, truth };
}

/** Returns the name, below another suffix if it is taken, and adds it. */
function unused(names: Set<string>, name: string): string {
  let free = name;
  for (let next = 0; names.has(free); next += 1)
    free = `${name.slice(0, name.lastIndexOf("."))}.${String.fromCharCode(97 + (next % 26), 97 + (Math.floor(next / 26) % 26), 97 + Math.floor(next / 676))}`;
  names.add(free);
  return free;
}

type Add = (domain: string, brand: string, facts: Omit<Facts, "unknown">, serials?: string[]) => number;

/** A name of another maker. The number of names at each hoster grows with the world. */
function addNoise(random: Random, add: Add, count: number): void {
  const brand = pick(random, brands);
  const registrar = Math.min(random(registrars), random(registrars));
  const at = start + random(700) * dayMs + random(86_400) * 1_000;
  const hosting = random(100);
  const address =
    hosting < 30
      ? `104.21.${random(256)}.${random(256)}` // a known delivery network
      : hosting < 40
        ? "198.51.100.1" // a large platform that is not known
        : hosting < 70
          ? `198.18.${random(Math.ceil(count / 20_000))}.${random(100)}` // shared hosts with some 50 names each
          : `11.${random(256)}.${random(256)}.${random(256)}`;
  const servers =
    random(10) < 8
      ? [`ns1.registrar${registrar}.example`, `ns2.registrar${registrar}.example`]
      : [`ns1.dns${random(count)}.example`, `ns2.dns${random(count)}.example`];
  // Many makers copy the icon of the brand, and some the whole page.
  const copy = random(10);
  add(
    noiseName(random, brand),
    brand,
    {
      existence: existence([address], servers),
      ...(random(5) === 0 ? {} : { registration: registration(registrar, at) }),
      ...(random(2) === 0
        ? {}
        : {
            page: page({
              favicon: copy < 3 ? brand : String(random(1e9)),
              structure: copy < 1 ? brand : String(random(1e9)),
            }),
          }),
    },
    [serial(random)],
  );
}

function noiseName(random: Random, brand: string): string {
  const suffix = pick(random, suffixes);
  if (random(3) === 0) return `${typo(random, brand)}.${suffix}`;
  const number = random(8) === 0 ? String(random(100)) : "";
  const rest = [pick(random, words), ...(random(2) === 0 ? [pick(random, words)] : [])].join("-");
  return random(2) === 0 ? `${brand}-${rest}${number}.${suffix}` : `${rest}${number}-${brand}.${suffix}`;
}

function* addCampaign(
  random: Random,
  add: Add,
  { kind, campaign }: { kind: CampaignKind; campaign: number },
) {
  const brand = pick(random, brands);
  const size = 8 + random(73);
  const registrar = Math.min(random(registrars), random(registrars));
  const begin = start + random(700) * dayMs + random(86_400) * 1_000;
  const suffix = pick(random, suffixes);
  const certificate = serial(random);
  const ownAddress = `12.${random(256)}.${random(256)}.${random(256)}`;
  const servers = [`ns1.registrar${registrar}.example`, `ns2.registrar${registrar}.example`];
  const ownServers = [`ns1.campaign${campaign}.example`, `ns2.campaign${campaign}.example`];
  const kit = page({ favicon: `kit ${campaign}`, structure: `kit ${campaign}` });
  const [word, second] = [
    pick(random, words),
    Array.from({ length: 4 }, () => pick(random, [..."bdfgkmnprtz"])).join(""),
  ];
  for (let index = 0; index < size; index += 1) {
    const name = `${brand}-${pick(random, words)}-${pick(random, words)}.${pick(random, suffixes)}`;
    const other = `13.${random(256)}.${random(256)}.${random(256)}`;
    const later = begin + random(12) * dayMs + random(86_400) * 1_000;
    const copied = page({ favicon: brand, structure: String(random(1e9)) });
    switch (kind) {
      case "one address, names of many words":
        yield add(
          name,
          brand,
          {
            existence: existence([ownAddress], servers),
            registration: registration(registrar, later),
            page: copied,
          },
          [serial(random)],
        );
        break;
      case "changing addresses, one certificate":
        yield add(
          name,
          brand,
          { existence: existence([other], servers), registration: registration(registrar, later) },
          [serial(random), certificate],
        );
        break;
      case "names that differ in their numbers":
        yield add(
          `${brand}-${word}-${second}${index}.${suffix}`,
          brand,
          { existence: existence([other], servers), registration: registration(registrar, later) },
          [serial(random)],
        );
        break;
      case "one order at a busy registrar, own name servers":
        yield add(
          name,
          brand,
          {
            existence: existence([other], ownServers),
            registration: registration(registrar, begin + random(40 * 60) * 1_000),
          },
          [serial(random)],
        );
        break;
      case "one kit, own name servers, several orders": {
        const order = begin + Math.floor(index / 5) * 9 * dayMs;
        yield add(
          name,
          brand,
          {
            existence: existence([other], ownServers),
            registration: registration(registrar, order + random(7_200) * 1_000),
            page: kit,
          },
          [serial(random)],
        );
        break;
      }
      case "one kit, own name servers, each name ordered alone":
        yield add(
          name,
          brand,
          {
            existence: existence([other], ownServers),
            registration: registration(random(registrars), later + random(200) * dayMs),
            page: kit,
          },
          [serial(random)],
        );
        break;
    }
  }
}

function existence(addresses: string[], nameServers: string[]): NonNullable<Facts["existence"]> {
  return { exists: "yes", addresses, nameServers, mailServers: [], wildcard: false };
}

function registration(registrar: number, at: number): NonNullable<Facts["registration"]> {
  return {
    registrar: `Registrar ${registrar}`,
    registrar_iana_id: String(1_000 + registrar),
    created_at: new Date(at).toISOString(),
  };
}

function page({ favicon, structure }: { favicon: string; structure: string }): NonNullable<Facts["page"]> {
  return {
    finalUrl: "https://site.example/",
    redirects: [],
    status: 200,
    title: "Sign in",
    asksForPassword: true,
    asksForCard: false,
    namesBrand: true,
    redirectsToProtected: false,
    faviconHash: favicon,
    structureHash: structure,
  };
}

function serial(random: Random): string {
  return Array.from({ length: 6 }, () => (0x10_0000 + random(0xe0_0000)).toString(16)).join("");
}

function typo(random: Random, brand: string): string {
  const place = 1 + random(brand.length - 1);
  return random(2) === 0
    ? brand.slice(0, place) + brand[place - 1] + brand.slice(place)
    : brand.slice(0, place) + pick(random, [..."abcdeiou013"]) + brand.slice(place + 1);
}

function pick<T>(random: Random, values: readonly T[]): T {
  return values[random(values.length)]!;
}

/** Pairs of threats that a grouping joined, compared with the truth. */
export interface PairCounts {
  /** Pairs of the same campaign, and how many of them were joined. */
  truePairs: number;
  joinedTruly: number;
  joinedFalsely: number;
}

/** @param groupOf returns the group of a threat; undefined if it has none */
export function countPairs({ threats, truth }: CampaignWorld, groupOf: (seq: number) => unknown) {
  const byKind = new Map<CampaignKind, PairCounts>(
    campaignKinds.map((kind) => [kind, { truePairs: 0, joinedTruly: 0, joinedFalsely: 0 }]),
  );
  for (const members of Map.groupBy(truth, ([, { campaign }]) => campaign).values()) {
    const counts = byKind.get(members[0]![1].kind)!;
    counts.truePairs += pairs(members.length);
    for (const [group, part] of Map.groupBy(members, ([seq]) => groupOf(seq)))
      if (group !== undefined) counts.joinedTruly += pairs(part.length);
  }
  let joined = 0;
  for (const [group, members] of Map.groupBy(threats, ({ seq }) => groupOf(seq)))
    if (group !== undefined) joined += pairs(members.length);
  const truePairs = [...byKind.values()].reduce((sum, counts) => sum + counts.truePairs, 0);
  const joinedTruly = [...byKind.values()].reduce((sum, counts) => sum + counts.joinedTruly, 0);
  return { byKind, truePairs, joinedTruly, joinedFalsely: joined - joinedTruly };
}

function pairs(size: number): number {
  return (size * (size - 1)) / 2;
}

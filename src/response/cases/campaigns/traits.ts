import { BlockList, isIPv6 } from "node:net";
import { splitName, splitProtected } from "../../../engines/detection/names/suffix.ts";
import { markKinds, type Facts, type MarkKind } from "../../../facts/enrichment/facts/facts.ts";
import { siteMarksOf } from "../../../facts/enrichment/facts/site-marks.ts";
import { dayMs, type Instant } from "../../../platform/lib/clock.ts";
import type { Status } from "../../../platform/vocabulary/threats.ts";
import type { Traits } from "../grouping/members.ts";
import deliveryNetworks from "./delivery-networks.txt" with { type: "text" };
import { reasonCodes, type ReasonCode } from "../grouping/reasons.ts";

type Values = Traits["values"][number][];

const certificatesMax = 8;
const valueCharactersMax = 300;
/** Minimum number of letters next to the brand that make a numbered name distinctive. */
const ownLettersMin = 4;
/** Hexadecimal digits of a serial number that is random (CA/Browser Forum Baseline Requirements §7.1.2.7: 64 bits). */
const serialDigitsMin = 16;
const reasonOfMark: Record<MarkKind, Exclude<ReasonCode, "registration">> = {
  addresses: "address",
  nameServers: "name_servers",
  certificates: "certificate",
  structure: "page",
  favicon: "favicon",
  screenshot: "screenshot",
};
/** Marks of a name below the domain of a website builder, whose servers are shared. */
const pageMarks: readonly MarkKind[] = ["structure", "favicon", "screenshot"];
/** Addresses at which no server is reached. */
const nowhere = new Set(["0.0.0.0", "127.0.0.1", "::", "::1"]);

const proxies = new BlockList();
for (const line of deliveryNetworks.split("\n")) {
  const [network, bits] = line.split("/");
  if (!line.startsWith("#") && bits !== undefined)
    proxies.addSubnet(network!, Number(bits), isIPv6(network!) ? "ipv6" : "ipv4");
}

/** A threat as the database has it. */
export interface ThreatSource {
  seq: number;
  domain: string;
  protectedDomain: string;
  status: Status;
  firstSeen: Instant;
  facts: Facts | undefined;
  /** Serial numbers of certificates in which certificate logs showed the name, newest first. */
  serials: readonly string[];
  /** Marks of the protected domains' own sites, as `kind value`. */
  originals: ReadonlySet<string>;
}

/** Returns what grouping needs to know about a threat. All facts may be of an attacker's choice. */
export function traitsOf({
  seq,
  domain,
  protectedDomain,
  status,
  facts,
  firstSeen,
  serials,
  originals,
}: ThreatSource): Traits {
  const brand = brandOf(protectedDomain);
  const { isHosted, values: names, shape } = nameTraits(domain, brand);
  const registration = isHosted ? undefined : orderOf(facts);
  const values: Values = [
    ...names,
    ...certificateValues(serials),
    ...(facts === undefined ? [] : siteValues(facts, { originals, kinds: isHosted ? pageMarks : markKinds })),
  ];
  const unique = new Map<string, Values[number]>();
  // Certificates of certificate logs come first, and do not end.
  for (const one of values) {
    const key = `${one.reason} ${one.value}`;
    if (!unique.has(key)) unique.set(key, one);
  }
  return {
    seq,
    name: domain,
    firstSeen,
    brand,
    family: `${brand} ${shape}`,
    order:
      registration === undefined
        ? undefined
        : `${Math.floor(registration.at / dayMs)} ${registration.registrar}`,
    links: status !== "false_positive",
    values: [...unique.values()].toSorted(
      (a, b) =>
        reasonCodes.indexOf(a.reason) - reasonCodes.indexOf(b.reason) ||
        (a.value < b.value ? -1 : Number(a.value > b.value)),
    ),
    registration: registration?.isExact === true ? registration : undefined,
  };
}

/** The same brand under several suffixes is one. */
function brandOf(protectedDomain: string): string {
  return splitProtected(protectedDomain).registrableLabel || protectedDomain;
}

function nameTraits(domain: string, brand: string): { isHosted: boolean; shape: string; values: Values } {
  const { hosted: isHosted, registrableLabel, subLabels, suffix } = splitName(domain);
  const own = [...subLabels, registrableLabel].join(".");
  const letters = own.replaceAll(/[^a-z]/g, "");
  const plainBrand = brand.replaceAll(/[^a-z]/g, "");
  const hasBrand = plainBrand !== "" && letters.includes(plainBrand);
  const rest = hasBrand ? letters.replace(plainBrand, "") : letters;
  // Typing errors of a brand resemble each other.
  const shape = hasBrand ? rest : "";
  // The digits of an encoded name stand for letters.
  const isNumbered = /\d/.test(own) && !/(^|\.)xn--/.test(own);
  const reason = hasBrand && rest.length >= ownLettersMin ? "numbered_name" : "numbered_brand";
  const value = `${own.replaceAll(/\d+/g, "#")}.${suffix}`;
  return { isHosted, shape, values: isNumbered ? [{ reason, value, until: undefined }] : [] };
}

function certificateValues(serials: readonly string[]): Values {
  return serials.slice(0, certificatesMax).flatMap((text) => {
    const serial = serialValue(text);
    return serial === undefined ? [] : [{ reason: "certificate", value: serial, until: undefined }];
  });
}

function serialValue(text: string): string | undefined {
  const digits = text
    .toLowerCase()
    .replaceAll(/[^0-9a-f]/g, "")
    .replace(/^0+/, "");
  return digits.length < serialDigitsMin ? undefined : `serial ${digits}`;
}

/** Returns what the site has, or was last seen with. */
function siteValues(
  facts: Facts,
  { kinds, originals }: { kinds: readonly MarkKind[]; originals: ReadonlySet<string> },
): Values {
  const present = siteMarksOf(facts);
  // A server of the protected domain presents its certificate to visitors of any name.
  if (originals.has(`certificates names ${facts.page?.certificate?.namesHash}`)) present.certificates = [];
  return kinds.flatMap((kind) => {
    const former = present[kind].length > 0 ? undefined : facts.former?.[kind];
    const values = former?.values ?? present[kind];
    return values
      .filter((value) => !originals.has(`${kind} ${value}`))
      .filter((value) => kind !== "addresses" || !(nowhere.has(value) || isProxy(value)))
      .map((value) => ({ reason: reasonOfMark[kind], value, until: former?.until }));
  });
}

function isProxy(address: string): boolean {
  return proxies.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}

function orderOf(
  facts: Facts | undefined,
): (NonNullable<Traits["registration"]> & { isExact: boolean }) | undefined {
  const {
    registrar,
    registrar_iana_id: id,
    created_at: created,
  } = facts?.registration ?? facts?.former?.registration ?? {};
  const at = Date.parse(created ?? "");
  const name = id ?? registrar?.toLowerCase();
  if (name === undefined || Number.isNaN(at)) return undefined;
  return {
    registrar: name.slice(0, valueCharactersMax),
    label: (registrar ?? name).slice(0, valueCharactersMax),
    at,
    // Registries that publish only a date are read as midnight.
    isExact: at % dayMs !== 0,
  };
}

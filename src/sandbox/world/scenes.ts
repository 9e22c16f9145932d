import type { Facts, HostNetwork, Screenshot } from "../../facts/enrichment/facts/facts.ts";
import { pageFailuresMax } from "../../facts/enrichment/facts/merge-facts.ts";
import { dayMs, toIsoTime, type Instant } from "../../platform/lib/clock.ts";
import type { Registration } from "../../platform/vocabulary/site.ts";
import { brandOf, pictures, similarityTo, type PictureName } from "../pictures/pictures.ts";
import samples from "./samples.json" with { type: "json" };
import { addressNumber } from "../../platform/network/addresses.ts";
import type { Network } from "../../facts/lookups/network/address-range.ts";

/** Invented hosting providers, each with one of the networks for documentation (RFC 5737). */
export const { providers } = samples;
/** RFC 3849. */
const ipv6 = samples.ipv6Network as Network;

/** Returns the network of an address of the sample world. */
export function sampleNetworkOf(address: string): Network {
  const found = providers.find(({ prefix }) => address.startsWith(`${prefix}.`));
  if (found === undefined && addressNumber(address)?.width === 128) return ipv6;
  const { prefix, organization, country, host } = found ?? providers[0]!;
  return {
    first: `${prefix}.0`,
    last: `${prefix}.255`,
    name: host.split(".")[0]!.toUpperCase(),
    organization,
    country,
    asn: 64_500 + providers.findIndex((provider) => provider.prefix === prefix),
    abuseEmail: `abuse@${host}`,
    source: "rdap",
    url: `https://rdap.registry.example/ip/${address}`,
  };
}

/** State of a suspicious domain between two changes. */
export interface Scene {
  exists: boolean;
  /** Default: the address of the threat. */
  address?: "none" | "earlier";
  mail?: boolean;
  /** Screenshot of the page that is up. */
  picture?: PictureName;
  /** Parked according to DNS. The page then has no screenshot. */
  parked?: string;
}

/** Facts that stay the same throughout the life of a threat. */
export interface Subject {
  domain: string;
  protectedDomain: string;
  ipAddress: string | null;
  whois: Registration;
  /** When the certificate of its site was issued. */
  certifiedAt: Instant;
}

const certificateMs = 90 * dayMs - 1_000;
/** Time from a check to the screenshot that it requests. */
const screenshotMs = 9_000;
const registrationMs = 2_000;
export const { certificateIssuer } = samples;

/** Returns the facts that a check at `at` finds, given the facts of the check before. */
export function factsAt(
  { exists, address, mail, parked, picture }: Scene,
  subject: Subject,
  { at, createdAt, before }: { at: Instant; createdAt: Instant; before: Facts },
): Facts {
  const { domain, ipAddress, whois } = subject;
  const { screenshot } = before;
  if (!exists)
    return {
      existence: { exists: "no", addresses: [], mailServers: [], nameServers: [], wildcard: false },
      ...(before.registration === undefined ? {} : { registrationAt: at }),
      ...(screenshot === undefined ? {} : { screenshot }),
      unknown: {},
    };
  const addresses = address === "none" || ipAddress === null ? [] : [addressOf(ipAddress, address)];
  const hasPage = picture !== undefined && addresses.length > 0;
  const taken = hasPage ? screenshotOf(subject, picture, at) : screenshot;
  return {
    existence: {
      exists: "yes",
      addresses,
      mailServers: mail === true ? [`mx1.${domain}`] : [],
      nameServers: whois.name_servers ?? [],
      wildcard: false,
      ...(parked === undefined ? {} : { parked }),
    },
    ...(whois.created_at === undefined
      ? {}
      : { registration: whois, registrationAt: createdAt + registrationMs }),
    ...(hasPage
      ? { page: pageOf(subject, picture), pageAt: at, pageFailures: 0 }
      : before.page === undefined
        ? {}
        : { pageFailures: pageFailuresMax }),
    ...(hasPage ? { networks: networksOf(addresses, at), networksAt: at } : networksIn(before)),
    ...(taken === undefined ? {} : { screenshot: taken }),
    unknown:
      hasPage || addresses.length === 0 || parked !== undefined
        ? {}
        : { page: "the server refuses the connection" },
  };
}

function networksOf(addresses: readonly string[], at: Instant): HostNetwork[] {
  return addresses.map((address) => ({ ...sampleNetworkOf(address), addresses: [address], at }));
}

/** Networks stay known when a page is gone. */
function networksIn({ networks, networksAt }: Facts): Pick<Facts, "networks" | "networksAt"> {
  return { ...(networks !== undefined && { networks }), ...(networksAt !== undefined && { networksAt }) };
}

/** An earlier host of the same network. */
function addressOf(ipAddress: string, which: Scene["address"]): string {
  if (which !== "earlier") return ipAddress;
  const last = Number(ipAddress.split(".").at(-1));
  return ipAddress.includes(":")
    ? ipAddress.replace("2001:db8::", "2001:db8:1::")
    : ipAddress.replace(/\d+$/, String((last % 253) + 1));
}

function pageOf(
  { certifiedAt, domain, protectedDomain }: Subject,
  name: PictureName,
): NonNullable<Facts["page"]> {
  const { asksForCard, asksForPassword, parked, title } = pictures[name];
  const isCopy = brandOf(protectedDomain).copies.includes(name);
  const path = asksForPassword ? "login" : asksForCard ? "payment" : "";
  const home = `https://${domain}/`;
  return {
    firstUrl: home,
    finalUrl: `${home}${path}`,
    redirects: path === "" ? [] : [`${home}${path}`],
    status: 200,
    title,
    asksForPassword,
    asksForCard,
    namesBrand: isCopy,
    redirectsToProtected: false,
    ...(parked === undefined ? {} : { parked }),
    certificate: {
      issuer: certificateIssuer,
      notBefore: toIsoTime(certifiedAt),
      notAfter: toIsoTime(certifiedAt + certificateMs),
    },
    ...(isCopy ? { faviconHash: brandOf(protectedDomain).faviconHash } : {}),
  };
}

function screenshotOf({ protectedDomain }: Subject, name: PictureName, at: Instant): Screenshot {
  const { hash } = pictures[name];
  const similarity = similarityTo(protectedDomain, name);
  return {
    at: at + screenshotMs,
    atOriginal: false,
    ...(hash === undefined ? {} : { hash }),
    ...(similarity === undefined ? {} : { visualSimilarity: similarity }),
  };
}

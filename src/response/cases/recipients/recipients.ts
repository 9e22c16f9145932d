import { isAtOrBelow, parseHostName } from "../../../platform/lib/host-names.ts";
import { registeredDomain, splitName } from "../../../engines/detection/names/suffix.ts";
import {
  type Facts,
  hasPage,
  type HostNetwork,
  mailServersOf,
  networkName,
  parkedWith,
} from "../../../facts/enrichment/facts/facts.ts";
import { fromIsoTime } from "../../../platform/lib/clock.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import { isPageOnSharedHost } from "../../../threats/threats/shared-hosts.ts";
import type { Threat } from "../../../threats/threats/store/queries.ts";
import { authorityOf, browserLists, deskOf, hostedSuffixOf } from "./directory.ts";
import type { Recipient } from "./recipient.ts";
import type { Evidence } from "../../evidence/evidence-bundle.ts";

/** RFC 5321 §4.5.3.1.3. */
const emailCharactersMax = 254;
/** A subset of RFC 5321's atoms: no character that has a meaning in a header, a URL or a shell. */
const localPart = /^[a-z0-9]([a-z0-9._+-]{0,62}[a-z0-9])?$/i;

/**
 * Returns an address from registration data if a report may be sent there: a single plain address with a host name in
 * A-label form, which is not at one of `excluded` or below. Attackers write such data: an address at the look-alike
 * would warn them.
 */
export function usableEmail(
  text: string | undefined,
  { excluded }: { excluded: readonly string[] },
): string | undefined {
  if (text === undefined || text.length > emailCharactersMax) return undefined;
  const at = text.lastIndexOf("@");
  const local = text.slice(0, Math.max(0, at));
  const host = parseHostName(text.slice(at + 1));
  if (!localPart.test(local) || local.includes("..") || host === null || !host.includes("."))
    return undefined;
  if (excluded.some((domain) => domain !== "" && isAtOrBelow(host, domain))) return undefined;
  return `${local}@${host}`;
}

/** Everything that determines who can act. */
export interface RecipientCase {
  threat: Pick<Threat, "domain" | "protectedDomain" | "type" | "whois">;
  facts: Facts | undefined;
  /** Issuers of certificates in which certificate logs showed the name, newest first. */
  issuers?: readonly string[];
}

const nameCharactersMax = 120;

/**
 * Returns who can take the site of a threat down or warn its visitors, in the order in which to ask them. Each email
 * address and each form occurs once. Registration data that attackers may have written cannot direct a report to them:
 * see `usableEmail`.
 */
export function recipientsOf(given: RecipientCase): Recipient[] {
  const isShared = isPageOnSharedHost(given.threat);
  const isGivenOut = isHosted(given.threat.domain) && !isShared;
  // The domain of a service is not suspended because of one of its pages.
  const hasOwnDomain = !isGivenOut && !isShared;
  const groups = {
    owner: isShared ? [serviceOperator(given)] : isGivenOut ? [suffixOwner(given)] : [],
    hosters: hosters(given),
    registrar: hasOwnDomain ? [registrar(given)] : [],
    registry: hasOwnDomain ? registry(given) : [],
    lists: lists(given.facts),
    authority: isShared ? [] : authority(given),
  };
  const servesPage = given.facts === undefined || isServing(given.facts);
  const order = servesPage
    ? [groups.owner, groups.hosters, groups.registrar, groups.registry, groups.lists, groups.authority]
    : [groups.owner, groups.registrar, groups.registry, groups.hosters, groups.authority];
  return withoutRepetition(order.flat());
}

/** Returns whether there may be a page of its own to take down; a parked name or one that is only used for email has none. */
function isServing(facts: Facts): boolean {
  if (parkedWith(facts) !== undefined || facts.existence?.exists === "no") return false;
  if (hasPage(facts)) return true;
  const { existence } = facts;
  const isMailOnly =
    existence !== undefined && existence.addresses.length === 0 && mailServersOf(facts).length > 0;
  return !isMailOnly && (existence === undefined || existence.addresses.length > 0);
}

/** Returns whether a service other than its registrar gave the name out. */
function isHosted(domain: string): boolean {
  return splitName(domain).hosted || hostedSuffixOf(domain) !== undefined;
}

/** Returns the domains at which no abuse desk can be: the look-alike itself and the protected domain. */
function excludedOf({ domain, protectedDomain, type }: RecipientCase["threat"]): string[] {
  if (isPageOnSharedHost({ type, domain })) return [protectedDomain];
  return [isHosted(domain) ? domain : (registeredDomain(domain) ?? domain), protectedDomain];
}

function serviceOperator({ threat: { domain } }: RecipientCase): Recipient {
  const known = hostedSuffixOf(domain);
  return {
    kind: "hoster",
    name: known?.name ?? `operator of ${splitName(domain).registrableDomain || domain}`,
    email: known?.email,
    formUrl: known?.formUrl,
    reason: "It can remove the page and close the account that published it.",
    note:
      known === undefined
        ? "It lets anyone publish pages. Find its form for reporting abuse on the page or on its website."
        : undefined,
    source: { from: "list", url: known?.source },
  };
}

function suffixOwner({ threat: { domain } }: RecipientCase): Recipient {
  const { suffix } = splitName(domain);
  const known = hostedSuffixOf(domain);
  return {
    kind: "hoster",
    name: known?.name ?? `owner of ${suffix}`,
    email: known?.email,
    formUrl: known?.formUrl,
    reason: "It gave out the name, and can delete it together with the page.",
    note:
      known === undefined
        ? `${suffix} belongs to a provider that lets anyone create names under it. Find its abuse desk on its website.`
        : undefined,
    source: { from: "list", url: known?.source },
  };
}

function hosters(given: RecipientCase): Recipient[] {
  const { facts, threat } = given;
  const current = facts?.existence?.addresses ?? [];
  const networks = (facts?.networks ?? []).filter(({ addresses }) =>
    addresses.some((address) => current.includes(address)),
  );
  if (networks.length > 0) return networks.map((network) => hoster(network, excludedOf(threat)));
  const [address] = current;
  if (address === undefined) return [];
  return [
    {
      kind: "hoster",
      name: `hosting provider of ${visible(address, nameCharactersMax)}`,
      reason: "It can take the page down.",
      note: "Its abuse contact is in the RDAP or WHOIS data of the IP address, which has not been looked up yet.",
      source: { from: "address_rdap" },
    },
  ];
}

function hoster(network: HostNetwork, excluded: readonly string[]): Recipient {
  const email = usableEmail(network.abuseEmail, { excluded });
  const desk = email === undefined ? undefined : deskOf(email);
  const notes: string[] = [];
  if (desk?.isContentNetwork === true)
    notes.push(
      `${desk.name} passes the traffic on and usually does not host the page. It can warn visitors, and forwards the report to the hosting provider.`,
    );
  if (desk?.readsEmail === false) notes.push(`${desk.name} processes reports by its form only.`);
  if (email === undefined)
    notes.push("The registration data of the network lists no abuse contact that can be used.");
  return {
    kind: "hoster",
    name: visible(networkName(network), nameCharactersMax),
    email: desk?.readsEmail === false ? undefined : email,
    formUrl: desk?.formUrl,
    reason: "It can take the page down.",
    note: notes.join(" ") || undefined,
    source: { from: "address_rdap", url: network.url, at: network.at },
  };
}

function registrar({ threat }: RecipientCase): Recipient {
  const { whois } = threat;
  const email = usableEmail(whois.abuse_email, { excluded: excludedOf(threat) });
  const desk = email === undefined ? undefined : deskOf(email);
  return {
    kind: "registrar",
    name: whois.registrar === undefined ? "registrar" : visible(whois.registrar, nameCharactersMax),
    email: desk?.readsEmail === false ? undefined : email,
    formUrl: desk?.formUrl,
    reason: "It can suspend the domain, which ends the page and its email.",
    note:
      email === undefined
        ? "The registration data lists no abuse contact that can be used. ICANN's list of accredited registrars has the registrar's contact."
        : undefined,
    source: {
      from: whois.source ?? "rdap",
      at: whois.fetched_at === undefined ? undefined : fromIsoTime(whois.fetched_at),
    },
  };
}

function registry({ threat: { domain } }: RecipientCase): Recipient[] {
  const { suffix } = splitName(domain);
  const topLevel = suffix.slice(suffix.lastIndexOf(".") + 1);
  if (topLevel === "") return [];
  const url = `https://www.iana.org/domains/root/db/${topLevel}.html`;
  return [
    {
      kind: "registry",
      name: `registry of .${topLevel}`,
      formUrl: url,
      reason: "It can suspend domains as well, and mostly acts if the registrar does not.",
      note: "The page lists the registry's contact.",
      source: { from: "list", url },
    },
  ];
}

function lists(facts: Facts | undefined): Recipient[] {
  if (facts !== undefined && !isServing(facts)) return [];
  return browserLists.map(({ name, email, formUrl, reach }) => ({
    kind: "browser_list",
    name,
    email,
    formUrl,
    reason: `It warns visitors while the page is still up: ${reach}.`,
    source: { from: "list", url: formUrl },
  }));
}

/** Returns the authority of the page's certificate if browsers trust it, or else of the newest logged certificate. */
function authority({ facts, issuers = [] }: RecipientCase): Recipient[] {
  const certificate = facts?.page?.certificate;
  const trusted = certificate !== undefined && certificate.fault === undefined ? [certificate.issuer] : [];
  for (const issuer of [...trusted, ...issuers]) {
    const known = authorityOf(issuer);
    if (known === undefined) continue;
    const { name, email, formUrl, source } = known;
    return [
      {
        kind: "certificate_authority",
        name,
        email,
        formUrl,
        reason: "It can revoke the certificate, which seldom ends a phishing page.",
        note: `${name} revokes certificates only for the reasons in its certification practice statement, such as a compromised key or a certificate that was issued by mistake. The content of a page is often not one of them.`,
        source: { from: "certificate", url: source },
      },
    ];
  }
  return [];
}

/** Drops a recipient whose contacts all belong to earlier ones, for example a registrar that also hosts the page. */
function withoutRepetition(recipients: readonly Recipient[]): Recipient[] {
  const seen = new Set<string>();
  return recipients.filter(({ email, formUrl, name }) => {
    const contacts = [email?.toLowerCase(), formUrl].filter((text) => text !== undefined);
    const keys = contacts.length > 0 ? contacts : [name];
    const isNew = keys.some((key) => !seen.has(key));
    for (const key of keys) seen.add(key);
    return isNew;
  });
}

/** Returns who can act on a threat, in the order in which to ask them. */
export function knownRecipients({
  threat,
  known,
  origins,
}: Pick<Evidence, "threat" | "known" | "origins">): Recipient[] {
  const issuers = origins.certificates.map(({ issuer }) => issuer);
  return recipientsOf({ threat, facts: known?.facts, issuers });
}

/** Returns whether an address or a form of a recipient is known. */
export function hasContact({ email, formUrl }: Pick<Recipient, "email" | "formUrl">): boolean {
  return email !== undefined || formUrl !== undefined;
}

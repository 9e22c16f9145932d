import { displayName } from "../detection/names/name.ts";
import { splitName } from "../detection/names/suffix.ts";
import {
  hasPage,
  mailServersOf,
  parkedWith,
  showsPhishingPage,
  type Facts,
} from "../enrichment/facts/facts.ts";
import { toPlainTime, type Instant } from "../lib/clock.ts";
import { visible } from "../lib/safe-text.ts";
import { looksLikeOriginal } from "../threats/severity/phishing-page.ts";
import type { Threat } from "../threats/store/queries.ts";
import { describeForThirdParties } from "../threats/store/similarity-reasons.ts";
import { abuseContactsOf, type AbuseContacts } from "./abuse-contacts.ts";

/** An abuse report that is ready to be reviewed and sent. Plain text; text of third parties is escaped and quoted. */
export interface AbuseReport extends AbuseContacts {
  subject: string;
  body: string;
}

const quotedCharactersMax = 120;
const listedMax = 6;

/**
 * Writes a report in the phrases that abuse desks look for. It claims nothing that is not among the facts, and leaves
 * out what is unknown. Text of third parties is quoted in one line, without hidden characters.
 */
export function abuseReport({
  threat,
  facts,
  checkedAt,
}: {
  threat: Pick<Threat, "domain" | "protectedDomain" | "type" | "reasons" | "whois" | "firstSeen">;
  facts: Facts | undefined;
  checkedAt: Instant | null | undefined;
}): AbuseReport {
  const { domain, protectedDomain } = threat;
  const phishing = threat.type === "cloned_site" || (facts !== undefined && showsPhishingPage(facts));
  const contacts = abuseContactsOf(threat, facts);
  const similarity = describeForThirdParties(threat.reasons)
    .slice(0, listedMax)
    .map((reason) => quoted(reason, 200));
  const lines = [
    `To the abuse team${contacts.to === undefined ? "" : ` of ${contacts.to.who}`}:`,
    "",
    summary(domain, protectedDomain, phishing),
    ...section("Domain", [
      `domain name: ${domain}`,
      ...(displayName(domain) === domain ? [] : [`displayed as: ${defanged(displayName(domain))}`]),
      `first seen: ${toPlainTime(threat.firstSeen)}`,
    ]),
    ...section("Similarity", similarity),
    ...section(`Evidence${checkedOn(checkedAt)}`, evidenceLines(facts, protectedDomain)),
    ...section("Registration", registrationLines(threat.whois)),
    "",
    "Requested action",
    ...requestedActions({ hosted: splitName(domain).hosted, phishing }).map(
      (action, index) => `  ${index + 1}. ${action}`,
    ),
    "",
    "The evidence, with SHA-256 checksums, is available on request.",
    "",
    "Kind regards,",
    "[name, organization, phone]",
  ];
  const what = phishing ? "Phishing" : "Brand impersonation";
  return {
    ...contacts,
    subject: `${what}: ${defanged(domain)} is a look-alike of ${protectedDomain}`,
    body: `${lines.join("\n")}\n`,
  };
}

function summary(domain: string, protectedDomain: string, phishing: boolean): string {
  const lookAlike = `${defanged(domain)} is a look-alike of our domain ${protectedDomain}`;
  return phishing
    ? `${lookAlike} and is hosting a phishing page (brand impersonation).`
    : `${lookAlike} (brand impersonation).`;
}

/** Makes a name unclickable, so that neither mail programs nor scanners follow it. */
function defanged(name: string): string {
  return name.replaceAll(".", "[.]").replace(/^http/i, "hxxp");
}

/** Browsers on Windows pass no longer address to a mail program, and report no error. */
const mailtoLengthMax = 2_000;

/**
 * Returns a link that opens the report in a mail program (RFC 6068), with the body only if that is short enough.
 * Returns undefined if no abuse contact is known.
 */
export function mailtoAddress({
  to,
  subject,
  body,
}: AbuseReport): { address: string; withBody: boolean } | undefined {
  if (to === undefined) return undefined;
  const [local = "", host = ""] = to.email.split("@");
  const address = `mailto:${encoded(local)}@${encoded(host)}?subject=${encoded(subject)}`;
  const whole = `${address}&body=${encoded(body.replaceAll("\n", "\r\n"))}`;
  const withBody = whole.length <= mailtoLengthMax;
  return { address: withBody ? whole : address, withBody };
}

/** Replaces lone surrogates, which cannot be encoded. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function evidenceLines(facts: Facts | undefined, protectedDomain: string): string[] {
  if (facts === undefined) return [];
  const { existence, page, screenshot } = facts;
  const found: string[] = [];
  if (existence?.exists === "no") found.push("the domain does not currently exist in DNS");
  if (existence?.exists === "yes" && existence.addresses.length > 0)
    found.push(`IP addresses: ${some(existence.addresses)}`);
  const mail = mailServersOf(facts);
  if (mail.length > 0) found.push(`MX records: ${some(mail)}`);
  if (existence !== undefined && existence.nameServers.length > 0)
    found.push(`name servers: ${some(existence.nameServers)}`);
  const parked = parkedWith(facts);
  if (parked !== undefined) found.push(`parked: ${quoted(parked)}`);
  if (page === undefined) return found;
  found.push(`URL: ${quoted(defanged(page.finalUrl), 200)}`, `HTTP status: ${page.status}`);
  if (!hasPage(facts)) return found;
  if (page.title !== "") found.push(`page title: ${quoted(page.title)}`);
  if (page.redirectsToProtected) found.push(`redirects to ${protectedDomain}`);
  else {
    if (page.asksForPassword) found.push("the page asks for a password");
    if (page.asksForCard) found.push("the page asks for a payment card number");
    if (page.namesBrand) found.push("the page uses our brand name");
    if (looksLikeOriginal({ visualSimilarity: screenshot?.visualSimilarity }))
      found.push(`the page looks like the page of ${protectedDomain}`);
  }
  if (page.certificate !== undefined) found.push(`certificate issuer: ${quoted(page.certificate.issuer)}`);
  return found;
}

function registrationLines(whois: Threat["whois"]): string[] {
  const { registrar, registrar_iana_id: ianaId, created_at: created, expires_at: expires } = whois;
  const lines: string[] = [];
  if (registrar !== undefined) {
    const id = ianaId === undefined ? "" : ` (IANA ID ${visible(ianaId, 20)})`;
    lines.push(`registrar: ${quoted(registrar)}${id}`);
  }
  if (created !== undefined) lines.push(`registered: ${visible(created, 40)}`);
  if (expires !== undefined) lines.push(`expires: ${visible(expires, 40)}`);
  return lines;
}

function requestedActions({ hosted, phishing }: { hosted: boolean; phishing: boolean }): string[] {
  return [
    hosted
      ? "Please suspend the name and take down the content that is served under it."
      : "Please suspend the domain (for example by setting clientHold).",
    phishing
      ? "Please preserve registrant and hosting records for law enforcement."
      : "Please preserve registrant records.",
    "Please confirm the action that you have taken.",
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", title, ...lines.map((line) => `  - ${line}`)];
}

function some(texts: readonly string[]): string {
  const more = texts.length - listedMax;
  const shown = texts.slice(0, listedMax).map((text) => visible(text, quotedCharactersMax));
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
}

/** Quotes text in one line. Quotes inside are replaced, so that the text cannot end its quotation. */
function quoted(text: string, charactersMax = quotedCharactersMax): string {
  return `"${visible(text.replaceAll('"', "'"), charactersMax)}"`;
}

function checkedOn(at: Instant | null | undefined): string {
  return at === null || at === undefined ? "" : ` (checked ${toPlainTime(at)})`;
}

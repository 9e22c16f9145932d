import { displayName } from "../../engines/detection/names/name.ts";
import {
  hasPage,
  mailServersOf,
  parkedWith,
  showsPhishingPage,
  type Facts,
} from "../../facts/enrichment/facts/facts.ts";
import { toPlainTime, type Instant } from "../../platform/lib/clock.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { withoutMailboxes } from "../../threats/threats/severity/mailboxes.ts";
import { looksLikeOriginal } from "../../threats/threats/severity/phishing-page.ts";
import type { Threat } from "../../threats/threats/store/queries.ts";
import { inspectedScore } from "../../threats/threats/severity/similarity-reasons.ts";
import type { PageImitation } from "../../platform/vocabulary/page-signals.ts";
import type { Evidence } from "./evidence-bundle.ts";
import { observationsOf, reasonsForThirdParties } from "./third-parties.ts";

/** A threat that a report is about, with what lookups found. */
export interface ReportedThreat {
  threat: Pick<Threat, "domain" | "protectedDomain" | "type" | "reasons" | "whois" | "firstSeen">;
  facts: Facts | undefined;
  checkedAt: Instant | null | undefined;
}

/** Returns the part of the evidence that a report is about. */
export function reportedThreat<T>({ threat, known }: Pick<Evidence, "known"> & { threat: T }) {
  return { threat, facts: known?.facts, checkedAt: known?.checkedAt };
}

const quotedCharactersMax = 120;
const listedMax = 6;
/** Number of observations that show an imitation; the evidence has more. */
const observationsMax = 3;

/**
 * Returns whether a threat shows a phishing page, as far as the facts say. A copy that a visitor was shown may be hidden
 * from lookups; one that an inspection found is gone when another inspection no longer finds it.
 */
export function isPhishing({ threat, facts }: ReportedThreat): boolean {
  if (facts !== undefined && showsPhishingPage(facts)) return true;
  if (threat.type !== "cloned_site") return false;
  return inspectedScore(threat.reasons) === undefined || facts?.page?.imitation?.imitates !== false;
}

/**
 * Returns the facts about a threat in the phrases that abuse desks look for, as lines. They claim nothing that is not
 * among the facts, and leave out what is unknown. Text of third parties is quoted in one line, without hidden
 * characters.
 */
export function reportSections({ threat, facts, checkedAt }: ReportedThreat): string[] {
  const { domain, protectedDomain } = threat;
  const similarity = reasonsForThirdParties(threat.reasons, facts)
    .slice(0, listedMax)
    .map((reason) => quoted(reason, 200));
  return [
    ...section("Domain", [
      `domain name: ${domain}`,
      ...(displayName(domain) === domain ? [] : [`displayed as: ${defanged(displayName(domain))}`]),
      `first seen: ${toPlainTime(threat.firstSeen)}`,
    ]),
    ...section("Similarity", similarity),
    ...section(`Evidence${checkedOn(checkedAt)}`, evidenceLines(facts, protectedDomain)),
    ...section("Registration", registrationLines(threat.whois)),
  ];
}

/** Returns the facts about one of several threats, in few lines. */
export function shortReportSection({ threat, facts, checkedAt }: ReportedThreat): string[] {
  return section(`${defanged(threat.domain)}${checkedOn(checkedAt)}`, [
    ...(displayName(threat.domain) === threat.domain
      ? []
      : [`displayed as: ${defanged(displayName(threat.domain))}`]),
    ...evidenceLines(facts, threat.protectedDomain).slice(0, listedMax),
    ...registrationLines(threat.whois).slice(0, 2),
  ]);
}

/** Makes a name unclickable, so that neither mail programs nor scanners follow it. */
export function defanged(name: string): string {
  return name.replaceAll(".", "[.]").replace(/^http/i, "hxxp");
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
  // The final page is the one that is being protected.
  if (page.redirectsToProtected) return [...found, `redirects to ${protectedDomain}`];
  found.push(`URL: ${quoted(defanged(withoutMailboxes(page.finalUrl)), 200)}`, `HTTP status: ${page.status}`);
  if (!hasPage(facts)) return found;
  if (page.title !== "") found.push(`page title: ${quoted(page.title)}`);
  if (page.asksForPassword) found.push("the page asks for a password");
  if (page.asksForCard) found.push("the page asks for a payment card number");
  if (page.imitation?.imitates === true) found.push(...imitationLines(page.imitation));
  if (page.namesBrand) found.push("the page uses our brand name");
  if (looksLikeOriginal({ visualSimilarity: screenshot?.visualSimilarity }))
    found.push(`the page looks like the page of ${protectedDomain}`);
  if (page.certificate !== undefined) found.push(`certificate issuer: ${quoted(page.certificate.issuer)}`);
  return found;
}

/** Returns which of our pages a page imitates, and what shows it. */
function imitationLines(imitation: PageImitation): string[] {
  const { original, protectedDomain } = imitation;
  const page = original === null || original === undefined ? "" : ` (${quoted(original, 200)})`;
  return [
    `the page imitates our site ${protectedDomain}${page}`,
    ...observationsOf(imitation, observationsMax).map(({ text }) => `imitation: ${visible(text, 200)}`),
  ];
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

export function section(title: string, lines: readonly string[]): string[] {
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

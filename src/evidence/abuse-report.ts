import { displayName } from "../detection/names/name.ts";
import { splitName } from "../detection/names/suffix.ts";
import { toPlainTime, type Instant } from "../lib/clock.ts";
import { visible } from "../lib/safe-text.ts";
import { describeForThirdParties } from "../threats/similarity-reasons.ts";
import type { Threat } from "../threats/queries.ts";
import { looksLikeOriginal } from "../threats/phishing-page.ts";
import {
  hasPage,
  mailServersOf,
  parkedWith,
  showsPhishingPage,
  type Facts,
} from "../enrichment/facts/facts.ts";

/** A report of abuse, ready to be read over and sent. Plain text, each line of it ours or quoted safely. */
export interface AbuseReport {
  /** Whom to write to, as far as the registration data say. */
  to: { email: string; who: string } | undefined;
  /** Who else can act, and how they are found. */
  otherWays: string[];
  subject: string;
  body: string;
}

const quotedMax = 120;
const listedMax = 6;

/**
 * Writes to whoever can take the name down. Nothing is claimed that is not among the facts; what is not known is
 * left out. What strangers wrote is quoted in one line, without hidden characters.
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
  const { to, otherWays } = contactsOf(threat, facts);
  const what = phishing ? "Phishing" : "Abusive domain name";
  const lines = [
    `To the abuse team${to === undefined ? "" : ` of ${to.who}`}:`,
    "",
    `The domain name ${defanged(domain)} imitates our domain name ${protectedDomain}${phishing ? " and is used for phishing" : ""}.`,
    "",
    "Domain name",
    ...listed([
      `exactly: ${domain}`,
      ...(displayName(domain) === domain ? [] : [`shown to people as: ${defanged(displayName(domain))}`]),
      `first seen by us: ${toPlainTime(threat.firstSeen)}`,
    ]),
    ...part(
      "How it imitates ours",
      describeForThirdParties(threat.reasons)
        .slice(0, listedMax)
        .map((reason) => quote(reason, 200)),
    ),
    ...part(`What we found${at(checkedAt)}`, findings(facts, protectedDomain)),
    ...part("Registration", registration(threat.whois)),
    "",
    "What we ask for",
    ...asked(splitName(domain).hosted, phishing).map((line, index) => `  ${index + 1}. ${line}`),
    "",
    "Our evidence, with SHA-256 checksums, is available on request.",
    "",
    "With kind regards",
    "[name, organisation, telephone]",
  ];
  return {
    to,
    otherWays,
    subject: `${what}: ${defanged(domain)} imitates ${protectedDomain}`,
    body: `${lines.join("\n")}\n`,
  };
}

/** So that neither mail programs nor scanners take it for a link to follow. */
function defanged(name: string): string {
  return name.replaceAll(".", "[.]").replace(/^http/i, "hxxp");
}

/** Browsers on Windows hand no longer address to a mail program, and say nothing. */
const mailtoLengthMax = 2_000;

/**
 * Opens a mail program with the report (RFC 6068), with its body only where that is short enough; undefined:
 * nobody is known to write to.
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

/** A lone half of a character cannot be encoded. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function contactsOf(
  { domain, whois }: Pick<Threat, "domain" | "whois">,
  facts: Facts | undefined,
): Pick<AbuseReport, "to" | "otherWays"> {
  const { suffix, hosted } = splitName(domain);
  const { abuse_email: email, abuse_phone: phone, registrar } = whois;
  const otherWays: string[] = [];
  if (hosted) {
    // The registration is that of the suffix, whose owner did nothing but hand the name out.
    otherWays.push(
      `${suffix} belongs to a hoster that gives names below it to anybody: its abuse desk can act.`,
    );
    return { to: undefined, otherWays: [...otherWays, ...networkWay(facts)] };
  }
  const who = registrar === undefined ? "the registrar" : visible(registrar, quotedMax);
  if (email === undefined)
    otherWays.push(
      registrar === undefined
        ? "The registrar is not known yet."
        : `The registration data name no abuse address of the registrar, ${who}; ICANN's list of accredited registrars has its contact.`,
    );
  if (phone !== undefined) otherWays.push(`The registrar's abuse desk answers at ${visible(phone, 60)}.`);
  const topLevel = suffix.slice(suffix.lastIndexOf(".") + 1);
  if (topLevel !== "")
    otherWays.push(
      `The registry of .${topLevel} stands at https://www.iana.org/domains/root/db/${topLevel}.html; it can suspend names as well.`,
    );
  return {
    to: email === undefined ? undefined : { email, who },
    otherWays: [...otherWays, ...networkWay(facts)],
  };
}

function networkWay(facts: Facts | undefined): string[] {
  const address = facts?.existence?.addresses[0];
  if (address === undefined) return [];
  return [
    `The operator of the network of ${visible(address, 60)} can take the page down; the regional registry of addresses (RDAP or WHOIS) has its abuse contact.`,
  ];
}

function findings(facts: Facts | undefined, protectedDomain: string): string[] {
  if (facts === undefined) return [];
  const { existence, page, screenshot } = facts;
  const found: string[] = [];
  if (existence?.exists === "no") found.push("the name does not exist in DNS at present");
  if (existence?.exists === "yes" && existence.addresses.length > 0)
    found.push(`addresses: ${some(existence.addresses)}`);
  const mail = mailServersOf(facts);
  if (mail.length > 0) found.push(`it can receive mail: ${some(mail)}`);
  if (existence !== undefined && existence.nameServers.length > 0)
    found.push(`name servers: ${some(existence.nameServers)}`);
  const parked = parkedWith(facts);
  if (parked !== undefined) found.push(`it is parked: ${quote(parked)}`);
  if (page === undefined) return found;
  found.push(`the page at ${quote(defanged(page.finalUrl), 200)} answers with status ${page.status}`);
  if (!hasPage(facts)) return found;
  if (page.title !== "") found.push(`its title: ${quote(page.title)}`);
  if (page.redirectsToProtected) found.push(`it leads on to ${protectedDomain}`);
  else {
    if (page.asksForPassword) found.push("it asks for a password");
    if (page.asksForCard) found.push("it asks for the number of a payment card");
    if (page.namesBrand) found.push("it names our brand");
    if (screenshot !== undefined && looksLikeOriginal(screenshot))
      found.push(`it looks like the page of ${protectedDomain}`);
  }
  if (page.certificate !== undefined)
    found.push(`its certificate was issued by ${quote(page.certificate.issuer)}`);
  return found;
}

function registration(whois: Threat["whois"]): string[] {
  const { registrar, registrar_iana_id: number, created_at: created, expires_at: expires } = whois;
  return [
    ...(registrar === undefined
      ? []
      : [`registrar: ${quote(registrar)}${number === undefined ? "" : ` (IANA ${visible(number, 20)})`}`]),
    ...(created === undefined ? [] : [`registered: ${visible(created, 40)}`]),
    ...(expires === undefined ? [] : [`expires: ${visible(expires, 40)}`]),
  ];
}

function asked(hosted: boolean, phishing: boolean): string[] {
  return [
    hosted
      ? "Please take down what is served under this name."
      : "Please examine the name and suspend it, for instance by setting the status clientHold.",
    phishing
      ? "Please keep what you know of the registrant and of the page, for the authorities may ask for it."
      : "Please keep what you know of the registrant.",
    "Please tell us what you have done.",
  ];
}

function part(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", title, ...listed(lines)];
}

function listed(lines: readonly string[]): string[] {
  return lines.map((line) => `  - ${line}`);
}

function some(texts: readonly string[]): string {
  const more = texts.length - listedMax;
  const shown = texts.slice(0, listedMax).map((text) => visible(text, quotedMax));
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
}

/** One line, and no way out of the quotes. */
function quote(text: string, charactersMax = quotedMax): string {
  return `"${visible(text.replaceAll('"', "'"), charactersMax)}"`;
}

function at(checkedAt: Instant | null | undefined): string {
  return checkedAt === null || checkedAt === undefined ? "" : ` (${toPlainTime(checkedAt)})`;
}

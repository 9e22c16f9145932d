import { splitName } from "../detection/names/suffix.ts";
import { abuseContactsOf, type AbuseContacts } from "./abuse-contacts.ts";
import { defanged, isPhishing, reportSections, type ReportedThreat } from "./report-sections.ts";

/** An abuse report that is ready to be reviewed and sent. Plain text; text of third parties is escaped and quoted. */
export interface AbuseReport extends AbuseContacts {
  subject: string;
  body: string;
}

/**
 * Writes a report in the phrases that abuse desks look for. It claims nothing that is not among the facts, and leaves
 * out what is unknown. Text of third parties is quoted in one line, without hidden characters.
 */
export function abuseReport({ threat, facts, checkedAt }: ReportedThreat): AbuseReport {
  const { domain, protectedDomain } = threat;
  const phishing = isPhishing({ threat, facts, checkedAt });
  const contacts = abuseContactsOf(threat, facts);
  const lines = [
    `To the abuse team${contacts.to === undefined ? "" : ` of ${contacts.to.who}`}:`,
    "",
    summary(domain, protectedDomain, phishing),
    ...reportSections({ threat, facts, checkedAt }),
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
}: Pick<AbuseReport, "to" | "subject" | "body">): { address: string; withBody: boolean } | undefined {
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

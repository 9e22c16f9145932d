import { sha256 } from "../../evidence/evidence-bundle.ts";
import {
  defanged,
  isPhishing,
  reportSections,
  section,
  shortReportSection,
  type ReportedThreat,
} from "../../evidence/report-sections.ts";
import { splitName } from "../../../engines/detection/names/suffix.ts";
import { toPlainTime, type Instant } from "../../../platform/lib/clock.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import { counted } from "../../../platform/lib/wording.ts";
import type { RecipientKind } from "../../../platform/vocabulary/cases.ts";
import { isPageOnSharedHost } from "../../../threats/threats/shared-hosts.ts";
import type { Threat } from "../../../threats/threats/store/queries.ts";
import actions from "./actions.json" with { type: "json" };
import { goneStates, upStates, type Report, type ReportPurpose, type Takedown } from "./report.ts";
import { signaturePlaceholder } from "./report-input.ts";

/** A threat of a report, with the state of its site. */
type StatedThreat = ReportedThreat & { threat: Pick<Threat, "siteState"> };

/** Everything that the text of a report is made of. */
export interface TextSources {
  /** Null: the report is not on record. */
  reference: string | null;
  purpose: ReportPurpose;
  recipient: { kind: RecipientKind; name: string };
  threats: readonly StatedThreat[];
  /** Report that this one follows up or escalates; null: none. */
  previous: Pick<Report, "reference" | "createdAt" | "recipient" | "ticket"> | null;
  /** Last takedown of the first threat, for a site that came back; undefined: none. */
  before: Pick<Takedown, "downAt" | "backAt"> | undefined;
  /** Names of the attachments, and the SHA-256 of the evidence bundle; undefined: it is not kept. */
  files: { attached: readonly string[]; bundle: string | undefined };
  /** Null: not set. */
  signature: string | null;
  now: Instant;
}

const nameCharactersMax = 120;
const protectedDomainsMax = 5;
const hourMs = 3_600_000;

/** Returns the prepared text of a report. A person reviews it, and can change it, before it is sent. */
export function preparedText(sources: TextSources): { subject: string; body: string } {
  const { recipient, reference, threats, signature } = sources;
  const lines = [
    `To the abuse team of ${nameOf(recipient)}:`,
    "",
    ...summary(sources),
    ...(threats.length === 1 ? reportSections(threats[0]!) : threats.flatMap(shortReportSection)),
    "",
    "Requested action",
    ...actionsOf(sources).map((action, index) => `  ${index + 1}. ${action}`),
    ...section("Files", fileLines(sources)),
    "",
    ...(reference === null
      ? []
      : [`Our reference is ${reference}. Please keep it in the subject of your response.`, ""]),
    "Kind regards,",
    signature ?? signaturePlaceholder,
  ];
  const mark = reference === null ? "" : ` [${reference}]`;
  return { subject: `${subjectOf(sources)}${mark}`, body: `${lines.join("\n")}\n` };
}

function subjectOf({ purpose, threats }: TextSources): string {
  const what = threats.some(isPhishing) ? "Phishing" : "Brand impersonation";
  const prefix = {
    first: what,
    follow_up: `Follow-up: ${what.toLowerCase()}`,
    escalation: `${what} not acted on`,
    again: `${what} is back`,
  }[purpose];
  const [first] = threats;
  if (first === undefined) return prefix;
  const { domain, protectedDomain } = first.threat;
  if (threats.length === 1)
    return `${prefix}: ${shortened(defanged(domain))} ${isCopy(first) ? "imitates" : "is a look-alike of"} ${protectedDomain}`;
  const nouns = threats.some(isCopy) ? "imitations" : "look-alikes";
  return `${prefix}: ${threats.length} ${nouns} of ${protectedDomains(threats)[0]}`;
}

/** Returns whether a threat is a copied page, whose name need not resemble the protected one. */
function isCopy({ threat }: ReportedThreat): boolean {
  return threat.type === "cloned_site";
}

/** A name can have 253 characters, and a subject no more than 200. */
function shortened(name: string): string {
  return name.length > 100 ? `${name.slice(0, 99)}…` : name;
}

function summary(sources: TextSources): string[] {
  const { previous, purpose, before, threats } = sources;
  const what = lookAlikes(threats);
  if (purpose === "again" && before?.downAt !== null && before !== undefined) {
    const since = before.backAt === null ? "" : ` since ${toPlainTime(before.backAt)}`;
    return [what, `It was down on ${toPlainTime(before.downAt)}, and is up again${since}.`];
  }
  if (previous === null || purpose === "first") return [what];
  const days = Math.floor((sources.now - previous.createdAt) / (24 * hourMs));
  const state = stateSince(threats, days > 0 ? ` after ${counted(days, "day")}` : "");
  const when = `on ${toPlainTime(previous.createdAt)} (reference ${previous.reference}${ticketOf(previous)})`;
  if (purpose === "follow_up") return [`We reported this to you ${when}. ${state}`, "", what];
  return [
    what,
    "",
    `We reported this to ${nameOf(previous.recipient)} ${when}. ${state} Because that report led to no action, we ask you to act.`,
  ];
}

/** States what became of an earlier report. Claims that a site is up only if it is. */
function stateSince(threats: readonly StatedThreat[], after: string): string {
  const up = threats.filter(({ threat }) => upStates.includes(threat.siteState)).length;
  if (up === 0) return "We know of no action since.";
  if (up < threats.length) return `${counted(up, "of the sites is", "of the sites are")} still up${after}.`;
  return threats.length === 1 ? `The site is still up${after}.` : `The sites are still up${after}.`;
}

const kindWords: Record<RecipientKind, string> = {
  registrar: "registrar",
  hoster: "hosting provider",
  registry: "registry",
  certificate_authority: "certificate authority",
  browser_list: "browser list",
};

/** Returns the name of a recipient in a sentence: "the registry of .com" if only its role is known. */
function nameOf({ kind, name }: { kind: RecipientKind; name: string }): string {
  const shown = visible(name, nameCharactersMax);
  const word = kindWords[kind];
  return shown === word || shown.startsWith(`${word} of `) ? `the ${shown}` : shown;
}

function ticketOf({ ticket }: Pick<Report, "ticket">): string {
  return ticket === null ? "" : `, ticket ${visible(ticket, 60)}`;
}

function lookAlikes(threats: readonly StatedThreat[]): string {
  const [first] = threats;
  const own = protectedDomains(threats).slice(0, protectedDomainsMax).join(", ");
  if (threats.length === 1 && first !== undefined) {
    const name = defanged(first.threat.domain);
    const does = isGone(first) || !isPhishing(first) ? "hosted" : "is hosting";
    if (isCopy(first))
      return `${name} ${does} a phishing page that imitates our site ${own} (brand impersonation).`;
    const lookAlike = `${name} is a look-alike of our domain ${own}`;
    if (!isPhishing(first)) return `${lookAlike} (brand impersonation).`;
    return `${lookAlike} and ${does} a phishing page (brand impersonation).`;
  }
  const phishing = threats.filter((one) => isPhishing(one) && !isGone(one)).length;
  const pages =
    phishing === 0
      ? ""
      : ` ${counted(phishing, "of them is hosting a phishing page", "of them are hosting phishing pages")}.`;
  const are = threats.some(isCopy)
    ? "are look-alikes of our domain, or host pages that imitate our site,"
    : "are look-alikes of our domain";
  return `The ${threats.length} names below ${are} ${own} (brand impersonation).${pages}`;
}

function isGone({ threat: { siteState } }: StatedThreat): boolean {
  return goneStates.includes(siteState);
}

function protectedDomains(threats: readonly ReportedThreat[]): string[] {
  return [...new Set(threats.map(({ threat }) => threat.protectedDomain))];
}

/** Returns what the recipient can do, as requests. */
function actionsOf({ recipient: { kind }, threats }: TextSources): string[] {
  const isHosted = threats.some(
    ({ threat }) => splitName(threat.domain).hosted && !isPageOnSharedHost(threat),
  );
  // Each action has the forms for one site and for several: `{name|names}`.
  const form = threats.length === 1 ? "$1" : "$2";
  const inForm = (text: string) => text.replaceAll(/\{([^|}]*)\|([^}]*)\}/g, form);
  const [first = "", ...others] =
    actions[actionKey(kind, { isHosted, isPhishing: threats.some(isPhishing) })];
  // A copied page is often on the compromised site of a third party; a look-alike name is registered for the purpose.
  const mayBeCompromised = (kind === "registrar" || kind === "registry") && threats.some(isCopy);
  return [mayBeCompromised ? `${first} ${ifCompromised}` : first, ...others].map(inForm);
}

function actionKey(
  kind: RecipientKind,
  { isHosted, isPhishing: hasPhishing }: { isHosted: boolean; isPhishing: boolean },
): keyof typeof actions {
  if (kind === "hoster" && isHosted) return "hoster_of_names";
  return (kind === "hoster" || kind === "browser_list") && hasPhishing ? `${kind}_of_phishing` : kind;
}

const ifCompromised =
  "If {the site|one of the sites} was compromised, please have its owner remove the phishing page instead.";

function fileLines({ files: { attached, bundle } }: TextSources): string[] {
  return [
    ...(attached.length === 0 ? [] : [`attached: ${attached.join(", ")}`]),
    ...(bundle === undefined
      ? ["The complete evidence is available on request."]
      : [`The complete evidence is available on request (ZIP archive, SHA-256 ${bundle}).`]),
  ];
}

const nothingAttached = "nothing is attached";
const attachedLine = new RegExp(
  `^( *- )(?:attached: [a-z0-9.-]+(?:, [a-z0-9.-]+)*|${nothingAttached})$`,
  "gm",
);

/**
 * Returns a text whose prepared list of attachments names those that are sent. A person may have left some out after the
 * text was prepared.
 */
export function withAttachments(body: string, attached: readonly string[]): string {
  const list = attached.length === 0 ? nothingAttached : `attached: ${attached.join(", ")}`;
  return body.replaceAll(attachedLine, (_, start: string) => `${start}${list}`);
}

/** Returns a digest of a text, in which the line breaks of browsers do not count. */
export function textDigest({ subject, body }: { subject: string; body: string }): string {
  const text = `${subject}\n${body}`.replaceAll("\r\n", "\n").trim();
  return sha256(new TextEncoder().encode(text));
}

const bundleChecksum = /\bSHA-256 [0-9a-f]{64}\b/;

/**
 * Returns the text of a form whose evidence has changed since it was opened: the prepared one if the person had not
 * changed it, or else the person's with the checksum of the new evidence bundle.
 * @param prepared digest of the text that the form was opened with
 */
export function textAfterChange(
  draft: { subject: string; body: string },
  typed: { subject: string; body: string },
  prepared: string | null,
): { subject: string; body: string } {
  const { subject, body } = draft;
  if (textDigest(typed) === prepared) return { subject, body };
  const [checksum] = bundleChecksum.exec(body) ?? [];
  if (checksum === undefined) return typed;
  return { subject: typed.subject, body: typed.body.replace(bundleChecksum, checksum) };
}

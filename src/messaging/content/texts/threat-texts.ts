import type { NameComparison } from "../../../engines/detection/match/compare-names.ts";
import { displayName } from "../../../engines/detection/names/name.ts";
import { hasPage, mailServersOf, parkedWith, type Facts } from "../../../facts/enrichment/facts/facts.ts";
import { toPlainTime } from "../../../platform/lib/clock.ts";
import { sentence } from "../../../platform/lib/wording.ts";
import { withoutMailboxes } from "../../../threats/threats/severity/mailboxes.ts";
import { shortReasons } from "../../../threats/threats/severity/explain-severity.ts";
import {
  describeSeverityReason,
  type SeverityReason,
} from "../../../threats/threats/severity/severity-reasons.ts";
import {
  describeSimilarityReason,
  type SimilarityReason,
} from "../../../threats/threats/severity/similarity-reasons.ts";
import type { Threat } from "../../../threats/threats/store/queries.ts";
import type { Status, ThreatSource } from "../../../platform/vocabulary/threats.ts";
import { cut } from "../cut.ts";
import { defangName, defangText } from "../defang.ts";
import type { NoticeItem } from "../notice.ts";
import { severityLabels } from "../plain-text.ts";
import { content, listed, type NoticeContent } from "./content.ts";
import type { ConsoleLinks } from "./links.ts";
import { describeDifferences, looksLike, shownName } from "./name-texts.ts";

/** Data of one threat that a message shows. */
export interface ThreatData extends Pick<
  Threat,
  "id" | "domain" | "protectedDomain" | "type" | "severity" | "status" | "source" | "firstSeen" | "verified"
> {
  reasons: readonly SimilarityReason[];
  severityReasons: readonly SeverityReason[];
  /** Null if nothing was looked up. */
  facts: Facts | null;
  /** Null if the names were not compared. */
  comparison: NameComparison | null;
}

const reasonsMax = 3;
const unverified = "Unverified: only the name is known.";
const addressCharactersMax = 200;
const nameInTitleMax = 75;
const domainInTitleMax = 45;

/** Returns the message about one new threat. @param late whether a filter matches only now */
export function newThreat(
  threat: ThreatData,
  { late, links }: { late: boolean; links: ConsoleLinks },
): NoticeContent {
  const since = late
    ? [`First seen on ${toPlainTime(threat.firstSeen)}; it has become more severe or was verified since.`]
    : [];
  return aboutThreat(threat, {
    tone: threat.severity,
    title: `${severityLabels[threat.severity]}: ${nameWithOriginal(threat)}`,
    summary: [...since, ...(threat.verified ? [] : [unverified]), ...reasonsOf(threat).map(sentence)].join(
      " ",
    ),
    links,
  });
}

/** Returns the message about one threat whose status changed. */
export function changedThreat(threat: ThreatData, { links }: { links: ConsoleLinks }): NoticeContent {
  return aboutThreat(threat, {
    tone: threat.status === "active" ? threat.severity : "good",
    title: `${statusLabels[threat.status]}: ${nameWithOriginal(threat)}`,
    summary: `Severity: ${threat.severity}. First seen on ${toPlainTime(threat.firstSeen)}.`,
    links,
  });
}

/** Statuses at the beginning of a title. */
const statusLabels: Record<Status, string> = {
  active: "Active again",
  resolved: "Resolved",
  false_positive: "False positive",
};

function aboutThreat(
  threat: ThreatData,
  { links, ...texts }: Pick<NoticeContent, "tone" | "title" | "summary"> & { links: ConsoleLinks },
): NoticeContent {
  return content({
    kind: "threat",
    ...texts,
    facts: factsOf(threat),
    links: [links.threat(threat.id)],
    threat: { id: threat.id, status: threat.status },
  });
}

function nameWithOriginal({ domain, protectedDomain, type }: ThreatData): string {
  const original = cut(displayName(protectedDomain), domainInTitleMax);
  const name = cut(looksLike(domain), nameInTitleMax);
  return type === "cloned_site" ? `${name} imitates ${original}` : `${name}, look-alike of ${original}`;
}

/** Returns a threat as an entry of a message about several. */
export function itemOf(threat: ThreatData, links: ConsoleLinks): NoticeItem {
  return {
    name: shownName(threat.domain),
    protectedDomain: displayName(threat.protectedDomain),
    ...(threat.type === "cloned_site" ? { isPage: true as const } : {}),
    severity: threat.severity,
    reason: defangText(shortReasons(threat)),
    url: links.threat(threat.id).url,
  };
}

/** Returns the first reasons for the severity. Without any, those for the similarity. */
function reasonsOf({ reasons, severityReasons }: ThreatData): string[] {
  const texts =
    severityReasons.length > 0
      ? severityReasons.map(describeSeverityReason)
      : reasons.map(describeSimilarityReason);
  return texts.slice(0, reasonsMax).map((text) => defangText(text));
}

function factsOf(threat: ThreatData): NoticeContent["facts"] {
  const { comparison, domain, protectedDomain, type, source, firstSeen } = threat;
  const original = displayName(protectedDomain);
  const facts = threat.facts ?? { unknown: {} };
  return [
    { label: type === "cloned_site" ? "Host" : "Look-alike", value: looksLike(domain) },
    { label: "Punycode", value: displayName(domain) === domain ? "" : defangName(domain) },
    {
      label: "Original",
      value: comparison?.isKeyword === true ? `${original} (keyword ${comparison.word})` : original,
    },
    { label: "Difference", value: comparison === null ? "" : describeDifferences(comparison) },
    { label: "Type", value: type.replaceAll("_", " ") },
    { label: "Address", value: type === "cloned_site" ? addressText(facts) : "" },
    { label: "Registered", value: registrationText(facts) },
    { label: "Page", value: pageText(facts) },
    { label: "Mail server", value: mailText(facts) },
    { label: "IP address", value: defangName(facts.existence?.addresses[0] ?? "") },
    { label: "Found", value: `${toPlainTime(firstSeen)}, by ${sourceNames[source]}` },
  ];
}

const sourceNames: Record<ThreatSource, string> = {
  scan: "a scan",
  certificate_transparency: "certificate transparency",
  feed: "a feed",
  submission: "a submission",
  beacon: "a beacon",
};

function registrationText({ registration }: Facts): string {
  if (registration === undefined) return "";
  const { created_at: createdAt = "", registrar } = registration;
  const on = /^\d{4}-\d\d-\d\d/.exec(createdAt)?.[0] ?? "";
  const withRegistrar = registrar === undefined ? "" : `with ${defangText(registrar, 100)}`;
  return [on, withRegistrar].filter(Boolean).join(" ");
}

/** Returns the address that was opened, without the recipient of the email that it is from. */
function addressText({ page }: Facts): string {
  if (page === undefined) return "";
  return defangText(withoutMailboxes(page.firstUrl ?? page.finalUrl), addressCharactersMax);
}

function pageText(facts: Facts): string {
  const { existence, page } = facts;
  if (existence?.exists === "no") return "none: the name does not exist in DNS";
  const parked = parkedWith(facts);
  if (parked !== undefined) return `parked (${defangText(parked, 60)})`;
  if (page === undefined) return "";
  if (page.redirectsToProtected) return "redirects to the protected domain";
  if (!hasPage(facts)) return `status ${page.status}`;
  const secrets = [page.asksForPassword ? "a password" : "", page.asksForCard ? "a card number" : ""].filter(
    Boolean,
  );
  const asks = secrets.length === 0 ? "" : `asks for ${listed(secrets)}`;
  const title = page.title === "" ? "" : `"${defangText(page.title, 120)}"`;
  return (
    [title, asks, page.namesBrand ? "names the brand" : ""].filter(Boolean).join(", ") ||
    `status ${page.status}`
  );
}

function mailText(facts: Facts): string {
  const [first, ...others] = mailServersOf(facts);
  if (first === undefined) return "";
  return others.length === 0 ? defangName(first) : `${defangName(first)} and ${others.length} more`;
}

import { displayName } from "../../../engines/detection/names/name.ts";
import { toPlainTime, type Instant } from "../../../platform/lib/clock.ts";
import { counted, grouped } from "../../../platform/lib/wording.ts";
import { severities, type Severity } from "../../../platform/vocabulary/threats.ts";
import type { NoticeItem } from "../notice.ts";
import { content, listed, type NoticeContent } from "./content.ts";
import type { ConsoleLinks } from "./links.ts";

/** Counts of the threats in a message. */
export interface ThreatCounts {
  bySeverity: Readonly<Record<Severity, number>>;
  byDomain: ReadonlyMap<string, number>;
}

/** Counts of threats by the status that they changed to. */
export interface ChangeCounts {
  resolved: number;
  false_positive: number;
  active: number;
}

/** New threats of a message. */
export interface NewThreats extends ThreatCounts {
  /** The most severe first. */
  items: NoticeItem[];
  /** The import or scan that found all of them; null: several, or none. */
  origin: { importSeq: number } | { scanSeq: number } | null;
}

const domainsShownMax = 5;

/** Returns the message about several new threats. */
export function newThreats(given: NewThreats, links: ConsoleLinks): NoticeContent {
  const { bySeverity, byDomain, items, origin } = given;
  const total = totalOf(bySeverity);
  const [only] = byDomain.size === 1 ? byDomain.keys() : [];
  const what = counted(
    total,
    only === undefined ? "new threat" : `new look-alike of ${shownDomain(only)}`,
    only === undefined ? "new threats" : `new look-alikes of ${shownDomain(only)}`,
  );
  return content({
    kind: "threats",
    tone: worst(bySeverity),
    title: `${what}: ${severityText(bySeverity)}`,
    summary: origin === null ? "" : `All were found by one ${"importSeq" in origin ? "import" : "scan"}.`,
    facts: only === undefined ? domainFacts(byDomain) : [],
    items: only === undefined ? items : items.map((item) => ({ ...item, domainInTitle: true as const })),
    more: total - items.length,
    links: [links.threats(origin ?? undefined)],
  });
}

/** Returns the message about several threats whose status changed. */
export function changedThreats(
  { changes, items, total }: { changes: ChangeCounts; items: NoticeItem[]; total: number },
  links: ConsoleLinks,
): NoticeContent {
  return content({
    kind: "threats",
    tone: changes.active > 0 ? "neutral" : "good",
    title: `${counted(total, "threat")} changed: ${changesText(changes)}`,
    items,
    more: total - items.length,
    links: [links.threats()],
  });
}

export interface DigestData {
  /** A time: the message contains what waited since then. */
  digest: "hourly" | "daily" | { since: Instant };
  created: NewThreats;
  /** Number of new threats that are no longer active. They are not among `created`. */
  closedAlready: number;
  changes: ChangeCounts;
  /** Active threats that the filter of the subscription matches; null: not known. */
  open: Readonly<Record<Severity, number>> | null;
  /** Titles of further messages (visits, scans, conditions), each with the number of times that it occurred. */
  others: readonly { title: string; count: number }[];
  /** Number of further messages that are not among `others`. */
  othersMore: number;
}

const othersShownMax = 4;

/** Returns the message with everything of a period. */
export function digestOf(data: DigestData, links: ConsoleLinks): NoticeContent {
  const { created, closedAlready, changes, open, others, othersMore } = data;
  const { bySeverity, byDomain, items } = created;
  const total = totalOf(bySeverity);
  const otherTotal = others.reduce((sum, { count }) => sum + count, 0) + othersMore;
  const high = bySeverity.high > 0 && total > bySeverity.high ? ` (${grouped(bySeverity.high)} high)` : "";
  const parts = [
    total === 0 ? "" : `${counted(total, "new threat")}${high}`,
    changesText(changes),
    otherTotal === 0 ? "" : counted(otherTotal, "other event"),
    total === 0 && closedAlready > 0 ? `${counted(closedAlready, "new threat")}, already closed` : "",
  ].filter(Boolean);
  const shown = others.slice(0, othersShownMax);
  const hidden = otherTotal - shown.reduce((sum, { count }) => sum + count, 0);
  return content({
    kind: "digest",
    tone: total === 0 ? "neutral" : worst(bySeverity),
    title: `${periodOf(data.digest)}: ${parts.join(", ") || "nothing to report"}`,
    facts: [
      { label: "New", value: total === 0 ? "" : severityText(bySeverity) },
      {
        label: "Already closed",
        value: closedAlready === 0 || total === 0 ? "" : counted(closedAlready, "new threat"),
      },
      { label: "Changed", value: changesText(changes) },
      { label: "Open", value: open === null ? "" : openText(open) },
      { label: "Protected domains", value: domainsText(byDomain) },
      ...shown.map(eventFact),
      { label: "Event", value: hidden > 0 ? `and ${counted(hidden, "other event")}` : "" },
    ],
    items,
    more: total - items.length,
    links: [links.threats()],
  });
}

function periodOf(digest: DigestData["digest"]): string {
  if (typeof digest === "object") return `Since ${toPlainTime(digest.since)}`;
  return digest === "daily" ? "Daily digest" : "Hourly digest";
}

const eventsShownMax = 8;

/** Returns the message about several visits, scans or conditions. */
export function severalEvents(
  events: DigestData["others"],
  more: number,
  links: ConsoleLinks,
): NoticeContent {
  const total = events.length + more;
  const shown = events.slice(0, eventsShownMax);
  const hidden = total - shown.length;
  return content({
    kind: "digest",
    tone: "neutral",
    title: counted(total, "event"),
    facts: [
      ...shown.map(eventFact),
      { label: "Event", value: hidden > 0 ? `and ${counted(hidden, "other event")}` : "" },
    ],
    links: [links.system()],
  });
}

function eventFact({ title, count }: DigestData["others"][number]): { label: string; value: string } {
  return { label: "Event", value: count > 1 ? `${title} (${grouped(count)} times)` : title };
}

function totalOf(bySeverity: Readonly<Record<Severity, number>>): number {
  return severities.reduce((sum, severity) => sum + bySeverity[severity], 0);
}

function worst(bySeverity: Readonly<Record<Severity, number>>): Severity {
  return severities.find((severity) => bySeverity[severity] > 0) ?? "low";
}

/** `12 high, 582 low` */
function severityText(bySeverity: Readonly<Record<Severity, number>>): string {
  return severities
    .filter((severity) => bySeverity[severity] > 0)
    .map((severity) => `${grouped(bySeverity[severity])} ${severity}`)
    .join(", ");
}

function openText(open: Readonly<Record<Severity, number>>): string {
  const total = totalOf(open);
  return total === 0 ? "no active threats" : `${counted(total, "active threat")}: ${severityText(open)}`;
}

/** `10 resolved, 2 false positives, 1 active again`; empty if nothing changed. */
function changesText({ resolved, false_positive: falsePositives, active }: ChangeCounts): string {
  return [
    resolved > 0 ? `${grouped(resolved)} resolved` : "",
    falsePositives > 0 ? counted(falsePositives, "false positive") : "",
    active > 0 ? `${grouped(active)} active again` : "",
  ]
    .filter(Boolean)
    .join(", ");
}

function mostFirst(byDomain: ReadonlyMap<string, number>): [domain: string, count: number][] {
  return [...byDomain].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
}

function domainFacts(byDomain: ReadonlyMap<string, number>): { label: string; value: string }[] {
  const sorted = mostFirst(byDomain);
  const others = sorted.slice(domainsShownMax);
  const total = others.reduce((sum, [, count]) => sum + count, 0);
  return [
    ...sorted
      .slice(0, domainsShownMax)
      .map(([domain, count]) => ({ label: shownDomain(domain), value: counted(count, "threat") })),
    {
      label: counted(others.length, "other domain"),
      value: others.length === 0 ? "" : counted(total, "threat"),
    },
  ];
}

function domainsText(byDomain: ReadonlyMap<string, number>): string {
  const sorted = mostFirst(byDomain);
  const shown = sorted
    .slice(0, domainsShownMax)
    .map(([domain, count]) => `${shownDomain(domain)} (${grouped(count)})`);
  const left = sorted.length - shown.length;
  return listed(left > 0 ? [...shown, `${grouped(left)} more`] : shown);
}

function shownDomain(domain: string): string {
  return displayName(domain);
}

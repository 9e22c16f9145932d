import { indicatorsIn } from "../../../src/threats/threats/severity/indicators.ts";
import { severities } from "../../../src/platform/vocabulary/threats.ts";
import { hostFields, hostsOf } from "../../../src/threats/index/columns/hosts.ts";
import type { SearchFilter, SearchOrder } from "../../../src/threats/index/filter.ts";
import type { SortKey } from "../../../src/threats/index/columns/sort-keys.ts";
import type { FoundThreat } from "../../../src/threats/index/database-lookups.ts";

type Threat = Omit<FoundThreat, "screenshotToken" | "reasons">;

/** Returns all matches in order: the reference implementation that tests compare the index with. */
export function naiveSearch<T extends Threat>(
  threats: readonly T[],
  filter: SearchFilter,
  { key, descending }: SearchOrder = { key: "first_seen", descending: false },
): T[] {
  const found = threats.filter((threat) => matches(threat, filter)).sort(comparisons[key]);
  return descending ? found.reverse() : found;
}

/** Returns the first match of each campaign, and all matches without one, in order, with the matches of its campaign. */
export function naiveGroups<T extends Threat>(
  threats: readonly T[],
  filter: SearchFilter,
  order: SearchOrder,
): { first: T; members: T[] }[] {
  const groups = Map.groupBy(naiveSearch(threats, filter, order), ({ campaignSeq, id }) => campaignSeq ?? id);
  return [...groups.values()].map((members) => ({ first: members[0]!, members }));
}

/** Names are compared in A-label form only; how people read homographs is tested separately. */
function matches(threat: Threat, filter: SearchFilter): boolean {
  const { text, indicator } = filter;
  const hosts = hostsOf(threat);
  return (
    hostFields.every((field) => (filter[field] ?? hosts[field]) === hosts[field]) &&
    (filter.protectedDomain ?? threat.protectedDomain) === threat.protectedDomain &&
    (filter.within === undefined ||
      filter.within.length === 0 ||
      filter.within.includes(threat.protectedDomain)) &&
    (filter.status ?? threat.status) === threat.status &&
    (filter.severity ?? threat.severity) === threat.severity &&
    (filter.type ?? threat.type) === threat.type &&
    (filter.source ?? threat.source) === threat.source &&
    (indicator === undefined || indicatorsIn(threat.severityReasons).includes(indicator)) &&
    (filter.verified ?? threat.verified) === threat.verified &&
    threat.similarity >= (filter.minSimilarity ?? 0) &&
    threat.firstSeen >= (filter.from ?? 0) &&
    threat.firstSeen < (filter.before ?? Infinity) &&
    threat.changedAt >= (filter.changedSince ?? 0) &&
    (filter.siteStates ?? [threat.siteState]).includes(threat.siteState) &&
    (filter.campaignSeq ?? threat.campaignSeq) === threat.campaignSeq &&
    (filter.assignee === undefined || (filter.assignee?.toLowerCase() ?? null) === threat.assignee) &&
    (filter.overdueAt === undefined ||
      (threat.status === "active" &&
        threat.dueAt !== null &&
        dueSecondsOf(threat) * 1000 < filter.overdueAt)) &&
    (text === undefined ||
      (text.startsWith ? threat.domain.startsWith(text.text) : threat.domain.includes(text.text)))
  );
}

const comparisons: Record<SortKey, (a: Threat, b: Threat) => number> = {
  first_seen: (a, b) => a.firstSeen - b.firstSeen || a.seq - b.seq,
  status_changed: (a, b) => a.statusChangedAt - b.statusChangedAt || a.seq - b.seq,
  similarity: (a, b) =>
    a.similarity - b.similarity ||
    Math.floor(a.firstSeen / 1000) - Math.floor(b.firstSeen / 1000) ||
    a.seq - b.seq,
  due: (a, b) =>
    compareNumbers(dueSecondsOf(a), dueSecondsOf(b)) ||
    severities.indexOf(a.severity) - severities.indexOf(b.severity) ||
    a.seq - b.seq,
  severity: (a, b) =>
    severities.indexOf(b.severity) - severities.indexOf(a.severity) ||
    a.firstSeen - b.firstSeen ||
    a.seq - b.seq,
  name: (a, b) => (a.domain < b.domain ? -1 : a.domain > b.domain ? 1 : a.seq - b.seq),
};

function dueSecondsOf({ dueAt }: Threat): number {
  return dueAt === null ? Infinity : Math.floor(dueAt / 1000);
}

/** Also for infinite numbers, whose difference is not a number. */
function compareNumbers(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

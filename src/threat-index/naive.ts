import { indicatorsIn } from "../threats/severity/indicators.ts";
import { severities } from "../vocabulary/threats.ts";
import { hostFields, hostsOf } from "./columns/hosts.ts";
import type { SearchFilter, SearchOrder } from "./filter.ts";
import type { SortKey } from "./columns/sort-keys.ts";
import type { FoundThreat } from "./threat-index.ts";

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
  severity: (a, b) =>
    severities.indexOf(b.severity) - severities.indexOf(a.severity) ||
    a.firstSeen - b.firstSeen ||
    a.seq - b.seq,
  name: (a, b) => (a.domain < b.domain ? -1 : a.domain > b.domain ? 1 : a.seq - b.seq),
};

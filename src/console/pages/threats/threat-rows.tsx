import type { ComponentChildren } from "preact";
import { toIsoTime } from "../../../lib/clock.ts";
import type { FoundThreat, SearchOrder, SortKey } from "../../../threat-index/search.ts";
import { indicatorsIn } from "../../../threat-index/indicators.ts";
import type { SeverityReason } from "../../../threats/severity-reasons.ts";
import { compareNames, ComparedName } from "../../kit/compared-name.tsx";
import { Badge, StateBadge, Time } from "../../kit/kit.tsx";
import { Name } from "../../kit/name.tsx";
import { threatPath } from "../../kit/paths.ts";
import { sortPath } from "./threat-filters.ts";
import { inWords, indicatorLabels } from "../../kit/labels.ts";

/** Threats, each with a box to choose it by; stands within the form that decides on them. */
export function ThreatRows({
  threats,
  keywordsOf,
  query,
  order,
  showStatus,
}: {
  threats: readonly FoundThreat[];
  /** Further brand words of a protected domain. */
  keywordsOf: (protectedDomain: string) => readonly string[];
  query: URLSearchParams;
  order: SearchOrder;
  showStatus: boolean;
}) {
  const head = { query, order };
  return (
    <div class="table" role="region" aria-label="Threats" tabIndex={0}>
      <table class="threats">
        <caption class="unseen">Threats</caption>
        <thead>
          <tr>
            <th scope="col" class="tick">
              <input
                type="checkbox"
                data-select-all="id"
                data-script-only
                hidden
                aria-label="All on this page"
              />
              <span class="unseen">Choose</span>
            </th>
            <SortHead {...head} sort="name" label="Suspicious name" />
            <th scope="col">Imitates</th>
            <SortHead {...head} sort="severity" label="Severity" />
            <SortHead {...head} sort="similarity" label="Similarity" />
            <th scope="col">Type</th>
            <SortHead {...head} sort="first_seen" label="First seen" />
            {showStatus ? <SortHead {...head} sort="status_changed" label="Status" /> : null}
          </tr>
        </thead>
        <tbody>
          {threats.map((threat) => (
            <Row threat={threat} keywords={keywordsOf(threat.protectedDomain)} showStatus={showStatus} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function SortHead({
  query,
  order,
  sort,
  label,
}: {
  query: URLSearchParams;
  order: SearchOrder;
  sort: SortKey;
  label: string;
}) {
  const isSorted = order.key === sort;
  return (
    <th scope="col" aria-sort={isSorted ? (order.descending ? "descending" : "ascending") : undefined}>
      <a href={sortPath(query, order, sort)}>
        {label}
        {isSorted ? <span aria-hidden="true">{order.descending ? " ↓" : " ↑"}</span> : null}
      </a>
    </th>
  );
}

function Row({
  threat,
  keywords,
  showStatus,
}: {
  threat: FoundThreat;
  keywords: readonly string[];
  showStatus: boolean;
}) {
  const { id, domain, protectedDomain, status, severity, similarity, type, firstSeen } = threat;
  return (
    <tr data-row="">
      <td class="tick">
        <input type="checkbox" name="id" value={id} aria-label={`Choose ${domain}`} />
      </td>
      <td class="suspicious">
        <ThreatLink id={id}>
          <ComparedName name={domain} comparison={compareNames(domain, protectedDomain, keywords)} />
        </ThreatLink>
        <Indicators severityReasons={threat.severityReasons} />
      </td>
      <td class="imitated">
        {protectedDomain.includes("xn--") ? <Name name={protectedDomain} /> : protectedDomain}
      </td>
      <td>
        <StateBadge state={severity} />
      </td>
      <td>
        <Similarity value={similarity} />
      </td>
      <td>{inWords(type)}</td>
      <td>
        <Time at={firstSeen} relative />
      </td>
      {showStatus ? (
        <td title={`since ${toIsoTime(threat.statusChangedAt)}`}>
          <StateBadge state={status} />
        </td>
      ) : null}
    </tr>
  );
}

export function ThreatLink({ id, children }: { id: string; children: ComponentChildren }) {
  return (
    <a class="threat-link" href={threatPath(id)}>
      {children}
    </a>
  );
}

/** What the facts showed, in a few words. */
export function Indicators({ severityReasons }: { severityReasons: readonly SeverityReason[] }) {
  const found = indicatorsIn(severityReasons);
  if (found.length === 0) return null;
  return (
    <span class="signs">
      {found.map((indicator) => (
        <Badge tone={indicator === "parked" || indicator === "leads_nowhere" ? "neutral" : "warn"}>
          {indicatorLabels[indicator]}
        </Badge>
      ))}
    </span>
  );
}

/** A figure and a bar; detection reports nothing much below one half, so the bar begins there. 1.00 is no rounded 0.996. */
export function Similarity({ value }: { value: number }) {
  return (
    <span class="similarity">
      <meter min="0.5" max="1" value={value} aria-hidden="true" />
      {(value < 1 ? Math.min(value, 0.99) : value).toFixed(2)}
    </span>
  );
}

import { toIsoTime } from "../../../lib/clock.ts";
import type { FoundThreat, SearchOrder, SortKey } from "../../../threat-index/threat-index.ts";
import { compareNames, ComparedName } from "../../threat-kit/compared-name.tsx";
import { Time } from "../../kit/components.tsx";
import { TypeName } from "../../threat-kit/threat-type.tsx";
import { Name } from "../../kit/name.tsx";
import { Indicators, Similarity, ThreatLink, Unverified } from "../../threat-kit/marks.tsx";
import { sortPath } from "../../threat-kit/filters.ts";
import { SeverityMark, StatusMark } from "../../threat-kit/severity.tsx";

/** Table of threats with a checkbox each, inside the form for batch decisions. */
export function ThreatRows({
  threats,
  keywordsOf,
  query,
  order,
  showStatus,
}: {
  threats: readonly FoundThreat[];
  /** Brand keywords of a protected domain. */
  keywordsOf: (protectedDomain: string) => readonly string[];
  query: URLSearchParams;
  order: SearchOrder;
  showStatus: boolean;
}) {
  const head = { query, order };
  return (
    <div class="table" role="region" aria-label="Threats" tabIndex={0}>
      <table class="threats">
        <caption class="vh">Threats</caption>
        <thead>
          <tr>
            <th scope="col" class="tick">
              <input
                type="checkbox"
                data-select-all="id"
                data-script-only
                hidden
                aria-label="Select all on this page"
              />
              <span class="vh">Select</span>
            </th>
            <SortHead {...head} sort="name" label="Suspicious name" />
            <th scope="col">Resembles</th>
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
        <input type="checkbox" name="id" value={id} aria-label={`Select ${domain}`} />
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
      <td class="rated">
        <SeverityMark severity={severity} /> {threat.verified ? null : <Unverified />}
      </td>
      <td>
        <Similarity value={similarity} />
      </td>
      <td>
        <TypeName type={type} />
      </td>
      <td>
        <Time at={firstSeen} relative />
      </td>
      {showStatus ? (
        <td title={`since ${toIsoTime(threat.statusChangedAt)}`}>
          <StatusMark status={status} />
        </td>
      ) : null}
    </tr>
  );
}

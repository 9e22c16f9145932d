import type { Assignee } from "../../../../response/cases/cases.ts";
import { grouped } from "../../../../platform/lib/wording.ts";
import {
  sortedByNameMax,
  type FoundThreat,
  type GroupedResult,
  type Place,
  type SearchFilter,
  type SearchResult,
  type ThreatIndex,
} from "../../../../threats/index/threat-index.ts";
import { withoutEmpty } from "../../kit/fields.ts";
import { Form, HiddenFields } from "../../kit/form.tsx";
import { Icon } from "../../kit/inline.tsx";
import { fragment, page, redirect, type PageResult } from "../../kit/page-result.ts";
import { importPath, namesPath, overviewPath, threatsPath, triagePath } from "../../kit/paths.ts";
import { Empty, isPastEnd, Pagination, pageNumber, PastEnd } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import { isGrouped, listPath, readListRequest, type ListRequest } from "../../threat-kit/filters.ts";
import { seenFields } from "../../threat-kit/decisions.tsx";
import { keywordsReader } from "../../threat-kit/compared-name.tsx";
import { Fresh } from "../../threat-kit/threat-marks.tsx";
import { ViewTabs, viewTabs, type ViewTab } from "../../threat-kit/views.tsx";
import { threatPanel } from "../threat/threat.tsx";
import type { LoadServices } from "../threat/load.ts";
import { SelectionBar } from "./bulk.tsx";
import { FilterBar, filterChoices } from "./filter-bar.tsx";
import { GroupNote, GroupRows, membersAround, type Expanded } from "./group-rows.tsx";
import { ListHead } from "./head.tsx";
import { MemberRows, ThreatGallery, ThreatRows, type RowsProps } from "./rows.tsx";

export const perPage = 50;

export type ListContext = Context<keyof LoadServices | "preferences" | "savedViews">;

export async function listThreats(context: ListContext): Promise<PageResult> {
  const { services, query: given } = context;
  const short = withoutEmpty(given);
  if (short !== undefined) return redirect(listPath(short));
  const index = services.threatIndex();
  await index.prepare();
  const mark = services.threats.triage.mark();
  const request = readListRequest(given, context);
  const { filter, order, look, query } = request;
  const domains = services.domains.list();
  const keywordsOf = keywordsReader(domains);
  const open = given.get("open") ?? undefined;
  const rowsOf = (threats: readonly FoundThreat[]): RowsProps => ({
    threats,
    captures: services.enrichment.capturesOf(threats.map(({ id }) => id)),
    keywordsOf,
    query,
    open,
    showStatus: filter.status === undefined,
    timeOf: (threat) => (order.key === "status_changed" ? threat.statusChangedAt : threat.firstSeen),
  });
  if (context.request.headers.get("x-fragment") === "members") {
    const { threats, total } = await index.search(filter, order, { page: 1, perPage });
    return fragment(<MemberRows {...rowsOf(threats)} total={total} />);
  }
  const hasGroups = isGrouped(request, context);
  const place = open === undefined ? undefined : await index.around(filter, order, open);
  const number = (await pageOf({ index, request, open, place, hasGroups })) ?? pageNumber(given);
  const slice = { page: number, perPage };
  const found = hasGroups
    ? await index.searchGroups(filter, order, slice)
    : await index.search(filter, order, slice);
  const threats = "groups" in found ? found.groups.map(({ first }) => first) : found.threats;
  const expanded =
    hasGroups && open !== undefined ? await membersAround(services, request, open, perPage) : undefined;
  const tabs = viewTabs(services.savedViews.list(), query, context);
  const counts = await countTabs(index, tabs);
  const assignees = services.cases.assignees();
  const choices = await filterChoices({
    filter,
    facets: found.facets,
    domains: domains.map(({ domain }) => domain),
    assignees: assignees.map(({ name }) => name),
    index,
  });
  return page(
    "Threats",
    <>
      <ListHead
        query={query}
        look={look}
        isGrouped={hasGroups}
        isOneCampaign={filter.campaignSeq !== undefined}
        tabs={tabs}
        total={found.total}
      />
      <ViewTabs
        tabs={tabs}
        counts={counts.map((count, position) => (tabs[position]!.isHere ? found.total : count))}
        query={query}
      />
      <FilterBar query={query} filter={filter} order={order} choices={choices} />
      <Results
        request={request}
        found={found}
        mark={mark}
        number={number}
        anywhere={services.threats.totals().length > 0}
        rows={rowsOf(threats)}
        expanded={expanded && { ...expanded, ...rowsOf(expanded.threats), query: expanded.query }}
        assignees={assignees}
      />
    </>,
    { beside: open === undefined ? null : await threatPanel(services, open, request, place) },
  );
}

/** Returns the number of the page that contains the open threat; undefined if there is none. */
async function pageOf(given: {
  index: ThreatIndex;
  request: ListRequest;
  open: string | undefined;
  place: Place | undefined;
  hasGroups: boolean;
}): Promise<number | undefined> {
  const { index, request, open, place, hasGroups } = given;
  const { filter, order } = request;
  if (open === undefined || place === undefined || place.total === 0) return undefined;
  const position = hasGroups
    ? await index.groupPosition(filter, order, open)
    : Math.min(place.position, place.total);
  return position && Math.ceil(position / perPage);
}

/** Counts the threats of each tab; undefined: takes too long. */
async function countTabs(index: ThreatIndex, tabs: readonly ViewTab[]): Promise<(number | undefined)[]> {
  const counts = await index.quickCounts(tabs.map((tab) => tab.filter ?? {}));
  const counted: (number | undefined)[] = [];
  for (const [position, { filter, saved }] of tabs.entries()) {
    // Anybody can save views, and each of these counts is a scan. Of the usual views, only one needs it.
    const isScanned = saved === undefined && filter !== undefined;
    counted.push(counts[position] ?? (isScanned ? await index.count(filter) : undefined));
  }
  return counted;
}

/** The part of the page that a change of the filters replaces. */
function Results(props: {
  request: ListRequest;
  found: SearchResult | GroupedResult;
  /** Mark of the decisions that the page shows. */
  mark: number;
  /** Number of the page. */
  number: number;
  /** Whether there is any threat at all. */
  anywhere: boolean;
  rows: RowsProps;
  /** The campaign of the open threat. */
  expanded: Expanded | undefined;
  assignees: readonly Assignee[];
}) {
  const { request, found, mark, number, anywhere, rows, expanded, assignees } = props;
  const { filter, query, look } = request;
  const groups = "groups" in found ? found.groups : undefined;
  const rowTotal = "groups" in found ? found.groupTotal : found.total;
  const isEmpty = rows.threats.length === 0;
  const pages = { page: number, perPage, total: rowTotal, path: threatsPath, query };
  return (
    <div class="results" id="results">
      <Fresh query={query} since={found.lastSeq} count={0} />
      <RunNote filter={filter} />
      {"groups" in found ? <GroupNote {...found} /> : null}
      {found.sortedAsRequested ? null : (
        <p class="inset hint after">
          Sorted by first seen: sorting by name is available up to {grouped(sortedByNameMax)} threats. Narrow
          the filters to use it.
        </p>
      )}
      {isPastEnd(pages) ? (
        <PastEnd {...pages} />
      ) : isEmpty ? (
        <NothingFound query={query} anywhere={anywhere} />
      ) : (
        <Form action={triagePath} id="triage">
          <HiddenFields
            fields={{
              query: withPage(query, number).toString(),
              last_seq: String(found.lastSeq),
              ...seenFields(mark),
            }}
          />
          {groups !== undefined ? (
            <GroupRows {...rows} groups={groups} expanded={expanded} />
          ) : look === "gallery" ? (
            <ThreatGallery {...rows} />
          ) : (
            <ThreatRows {...rows} />
          )}
          <SelectionBar
            assignees={assignees}
            filter={filter}
            total={found.total}
            shown={groups?.reduce((sum, { count }) => sum + count, 0) ?? rows.threats.length}
          />
        </Form>
      )}
      {isEmpty || isPastEnd(pages) ? null : (
        <div class="inset">
          <Pagination {...pages} />
        </div>
      )}
    </div>
  );
}

/** Returns the view with the page that is shown, to return to after a decision. */
function withPage(query: URLSearchParams, number: number): URLSearchParams {
  const next = new URLSearchParams(query);
  if (number > 1) next.set("page", String(number));
  return next;
}

/** Links to the import whose threats are listed. */
function RunNote({ filter: { importSeq } }: { filter: SearchFilter }) {
  if (importSeq === undefined) return null;
  return (
    <p class="inset hint after">
      Only threats that <a href={importPath(importSeq)}>one import</a> found.
    </p>
  );
}

function NothingFound({ query, anywhere }: { query: URLSearchParams; anywhere: boolean }) {
  if (!anywhere)
    return (
      <Empty
        title="No threats yet"
        action={
          <a class="btn" href={overviewPath}>
            See the first steps
          </a>
        }
      >
        Scans, feeds, and the API report them.
      </Empty>
    );
  if (query.size === 0) return <Empty title="All decided">No threats to decide.</Empty>;
  const text = query.get("q") ?? "";
  return (
    <Empty
      title="No threats match these filters"
      action={
        <div class="line">
          <a class="btn" href={threatsPath}>
            Show all threats to decide
          </a>
          {text === "" ? null : (
            <a class="btn plain" href={`${namesPath}?${new URLSearchParams({ q: text }).toString()}`}>
              <Icon name="search" />
              Search all names seen
            </a>
          )}
        </div>
      }
    >
      {query.has("import") || query.has("scan")
        ? "Imports and scans by versions before 0.2.0 are not linked to their threats."
        : "Remove a filter, or choose another view."}
    </Empty>
  );
}

import { grouped } from "../../../lib/wording.ts";
import { hostFields } from "../../../threat-index/columns/hosts.ts";
import { sortedByNameMax, type SearchFilter } from "../../../threat-index/threat-index.ts";
import { triageThreatsMax } from "../../../threats/triage/triage.ts";
import { PageHead } from "../../kit/components.tsx";
import { withoutEmpty } from "../../kit/fields.ts";
import { Form, HiddenFields } from "../../kit/form.tsx";
import { hostLabels } from "../../kit/labels.ts";
import { Text } from "../../kit/name.tsx";
import { usePage } from "../../kit/page-context.ts";
import { page, redirect, type PageResult } from "../../kit/page-result.ts";
import { importPath, namesPath, overviewPath, threatsPath, triagePath } from "../../kit/paths.ts";
import { Empty, isPastEnd, Pagination, pageNumber, PastEnd } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import { decisions } from "../../threat-kit/decisions.ts";
import { ThreatFilterForm } from "./filter-form.tsx";
import { hostParameters, listPath, readListRequest } from "../../threat-kit/filters.ts";
import { ThreatRows } from "./list-rows.tsx";
import { ExportLinks, KeyboardHelp, ReadyViews } from "./views.tsx";

export const perPage = 50;

export async function listThreats({
  services,
  query: given,
}: Context<"domains" | "threats" | "threatIndex">): Promise<PageResult> {
  const short = withoutEmpty(given);
  if (short !== undefined) return redirect(listPath(short));
  const search = services.threatIndex();
  await search.prepare();
  const request = readListRequest(given);
  const { filter, order, query } = request;
  const number = pageNumber(given);
  const found = await search.search(filter, order, { page: number, perPage });
  const pages = { page: number, perPage, total: found.total, path: threatsPath, query };
  const domains = services.domains.list();
  const keywords = new Map(domains.map((domain) => [domain.domain, domain.keywords]));
  return page(
    "Threats",
    <>
      <PageHead title="Threats">
        <KeyboardHelp />
      </PageHead>
      <ReadyViews query={query} />
      <RunNote filter={filter} query={query} />
      <HostNote filter={filter} query={query} />
      <ThreatFilterForm
        request={request}
        domains={domains.map(({ domain }) => domain)}
        facets={found.facets}
      />
      {found.sortedAsRequested ? null : (
        <p class="hint">
          Sorted by first seen: sorting by name is available up to {grouped(sortedByNameMax)} threats. Narrow
          the filters to use it.
        </p>
      )}
      {isPastEnd(pages) ? (
        <PastEnd {...pages} />
      ) : found.threats.length === 0 ? (
        <NothingFound query={query} anywhere={services.threats.totals().length > 0} />
      ) : (
        <Form action={triagePath} id="triage">
          <HiddenFields
            fields={{ query: pageQuery(query, number).toString(), last_seq: String(found.lastSeq), at: "" }}
          />
          <Decisions filter={filter} total={found.total} shown={found.threats.length} />
          <ThreatRows
            threats={found.threats}
            keywordsOf={(domain) => keywords.get(domain) ?? []}
            query={query}
            order={order}
            showStatus={filter.status === undefined || order.key === "status_changed"}
          />
        </Form>
      )}
      {found.threats.length === 0 ? null : <Pagination {...pages} />}
      {found.total === 0 ? null : <ExportLinks query={query} />}
    </>,
  );
}

/** Names the import or scan whose threats are listed, which no field of the form shows. */
function RunNote({
  filter: { importSeq, scanSeq },
  query,
}: {
  filter: SearchFilter;
  query: URLSearchParams;
}) {
  if (importSeq === undefined && scanSeq === undefined) return null;
  return (
    <p>
      Only new threats of{" "}
      {importSeq === undefined ? "one scan" : <a href={importPath(importSeq)}>one import</a>}.{" "}
      <a href={listPath(query, { import: undefined, scan: undefined })}>Show those of all sources</a>
    </p>
  );
}

/** Names the hosts that all listed threats have in common, which no field of the form shows. */
function HostNote({ filter, query }: { filter: SearchFilter; query: URLSearchParams }) {
  return hostFields
    .filter((field) => filter[field] !== undefined)
    .map((field) => (
      <p>
        Only threats with this {hostLabels[field].toLowerCase()}: <Text text={filter[field]!} />.{" "}
        <a href={listPath(query, { [hostParameters[field]]: undefined })}>Show all</a>
      </p>
    ));
}

function NothingFound({ query, anywhere }: { query: URLSearchParams; anywhere: boolean }) {
  if (!anywhere)
    return (
      <Empty>
        No threats yet. Scans, feeds, and the API report them. <a href={overviewPath}>See the first steps</a>.
      </Empty>
    );
  if (query.size === 0) return <Empty>No threats to triage.</Empty>;
  if (query.has("import") || query.has("scan"))
    return (
      <Empty>
        No threats match these filters. Imports and scans by versions before 0.2.0 are not linked to their
        threats. <a href={threatsPath}>Show all threats to triage</a>
      </Empty>
    );
  const text = query.get("q") ?? "";
  return (
    <Empty>
      No threats match these filters. <a href={threatsPath}>Show all threats to triage</a>
      {text === "" ? null : (
        <>
          {" or "}
          <a href={`${namesPath}?${new URLSearchParams({ q: text }).toString()}`}>search all names seen</a>
        </>
      )}
    </Empty>
  );
}

/** Buttons for decisions about the selected threats. */
function Decisions({ filter, total, shown }: { filter: SearchFilter; total: number; shown: number }) {
  if (!usePage().may("decide")) return null;
  const all = total > triageThreatsMax ? `the first ${grouped(triageThreatsMax)}` : "all";
  return (
    <div class="decisions">
      <span class="line">
        {decisions
          .filter(({ status }) => status !== filter.status)
          .map(({ status, label, key }) => (
            <button type="submit" name="status" value={status} class="btn small" data-row-key={key}>
              {label}
            </button>
          ))}
      </span>
      {total > shown ? (
        <label>
          <input type="checkbox" name="all" value="yes" /> {all} of the {grouped(total)} matching threats, on
          all pages
        </label>
      ) : null}
    </div>
  );
}

/** Returns the view with the page that is shown, to return to after a decision. */
function pageQuery(query: URLSearchParams, number: number): URLSearchParams {
  const next = new URLSearchParams(query);
  if (number > 1) next.set("page", String(number));
  return next;
}

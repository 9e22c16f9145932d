import { threatSources } from "../../../../platform/vocabulary/threats.ts";
import { LinkButton, PageHead } from "../../kit/components.tsx";
import { withoutEmpty } from "../../kit/fields.ts";
import { Button, Select, TextField } from "../../kit/form.tsx";
import { inWords } from "../../kit/labels.ts";
import { fragment, page, redirect, type PageResult } from "../../kit/page-result.ts";
import { inspectionExportPath, inspectionsPath, pathWith } from "../../kit/paths.ts";
import { pageNumber } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";
import { InspectForm } from "./request-form.tsx";
import { fixedLimits, inspectionFilterIn, outcomes, requestIn } from "./request-query.ts";
import { RequestSummary, requestedName, type RequestedAddresses } from "./request-summary.tsx";
import { InspectionRows, perPage } from "./rows.tsx";
import { QueueNote } from "./queue-state.tsx";

export type InspectionsContext = Context<"domains" | "inspections" | "threats">;

export function listInspections(context: InspectionsContext): PageResult {
  const { query, services } = context;
  const short = withoutEmpty(query);
  if (short !== undefined) return redirect(`${inspectionsPath}${short.size === 0 ? "" : `?${short}`}`);
  const requested = context.takeOnce<RequestedAddresses>(requestedName);
  const status = services.inspections.status();
  return page(
    "Inspections",
    <>
      <PageHead
        title="Inspections"
        lead="Pages that phishwatch opened and compared with your sites, whatever their names."
      >
        <LinkButton path={pathWith(inspectionExportPath, query)} label="Download CSV" />
      </PageHead>
      <QueueNote status={status} />
      {requested === undefined ? null : (
        <RequestSummary requested={requested} find={services.inspections.get} />
      )}
      {fixedLimits(query).length === 0 ? (
        <InspectForm disabled={status.disabled} />
      ) : (
        <p class="line">
          <LinkButton path={inspectionsPath} label="Show all inspections" small />
        </p>
      )}
      <FilterForm query={query} domains={services.domains.list().map(({ domain }) => domain)} />
      {rowsOf(context)}
    </>,
  );
}

/** Serves the rows while something is being inspected. */
export function showRows(context: InspectionsContext): PageResult {
  return fragment(rowsOf(context));
}

function rowsOf({ query, services: { inspections, threats } }: InspectionsContext) {
  const status = inspections.status();
  const request = requestIn(query);
  const { inspections: found, total } = inspections.list(inspectionFilterIn(query), {
    page: pageNumber(query),
    perPage,
  });
  return (
    <InspectionRows
      inspections={found}
      total={total}
      query={query}
      status={status}
      progress={request && inspections.progress(request)}
      statusOf={(id) => threats.get(id)?.status}
    />
  );
}

function FilterForm({ query, domains }: { query: URLSearchParams; domains: readonly string[] }) {
  return (
    <form method="get" action={inspectionsPath} class="line filters" role="search">
      {fixedLimits(query).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <Select
        label="Result"
        name="outcome"
        value={query.get("outcome") ?? ""}
        choices={[
          { value: "", label: "any result" },
          ...Object.entries(outcomes).map(([value, { label }]) => ({ value, label })),
        ]}
      />
      <Select
        label="Protected domain"
        name="domain"
        value={query.get("domain") ?? ""}
        choices={[
          { value: "", label: "any domain" },
          ...domains.map((domain) => ({ value: domain, label: domain })),
        ]}
      />
      <Select
        label="Source"
        name="source"
        value={query.get("source") ?? ""}
        choices={[
          { value: "", label: "any source" },
          ...threatSources.map((source) => ({ value: source, label: inWords(source) })),
        ]}
      />
      <TextField
        label="Part of the address"
        name="q"
        type="search"
        value={query.get("q") ?? ""}
        maxLength={300}
      />
      <Button label="Filter" icon="filter" />
    </form>
  );
}

import { grouped } from "../../../lib/wording.ts";
import type { Facets } from "../../../threat-index/facets.ts";
import type { SearchFilter } from "../../../threat-index/threat-index.ts";
import { indicators } from "../../../threats/severity/indicators.ts";
import { threatTypes, severities, threatSources, statuses } from "../../../vocabulary/threats.ts";
import { formatDay } from "../../kit/fields.ts";
import { HiddenFields, Select, TextField } from "../../kit/form.tsx";
import { inWords, indicatorLabels } from "../../kit/labels.ts";
import { threatsPath } from "../../kit/paths.ts";
import { hostParameters, type ListRequest } from "../../threat-kit/filters.ts";

const any = { value: "", label: "any" };

function choice(value: string, count: number | undefined) {
  return { value, label: `${inWords(value)} (${grouped(count ?? 0)})` };
}

/** Filters of the list. Each choice shows how many threats it would leave. */
export function ThreatFilterForm({
  request: { filter, query },
  domains,
  facets,
}: {
  request: ListRequest;
  domains: readonly string[];
  facets: Facets;
}) {
  const all = [...facets.status.values()].reduce((sum, count) => sum + count, 0);
  return (
    <form method="get" action={threatsPath} class="threat-filters">
      <HiddenFields
        fields={pick(query, [...Object.values(hostParameters), "import", "scan", "sort", "order"])}
      />
      <div class="line filters">
        <div data-field="" class="search">
          <label for="q">Name</label>
          <input
            type="search"
            id="q"
            name="q"
            value={query.get("q") ?? ""}
            placeholder="part of a name, or a URL"
            maxLength={1024}
            spellcheck={false}
            autocapitalize="none"
            autocomplete="off"
            data-key="/"
          />
        </div>
        <Select
          label="Status"
          name="status"
          value={filter.status ?? "all"}
          choices={[
            ...statuses.map((status) => choice(status, facets.status.get(status))),
            choice("all", all),
          ]}
        />
        <Select
          label="Severity"
          name="severity"
          value={filter.severity ?? ""}
          choices={[any, ...severities.map((severity) => choice(severity, facets.severity.get(severity)))]}
        />
        <Select
          label="Protected domain"
          name="domain"
          value={filter.protectedDomain ?? ""}
          choices={[any, ...domains.map((domain) => ({ value: domain, label: domain }))]}
        />
        <button type="submit" class="btn">
          Filter
        </button>
      </div>
      <MoreFilters filter={filter} query={query} facets={facets} />
    </form>
  );
}

const inMore = ["type", "source", "sign", "verified", "from", "to", "similarity"];

function MoreFilters({
  filter,
  query,
  facets,
}: Pick<ListRequest, "filter" | "query"> & {
  facets: Facets;
}) {
  return (
    <details open={inMore.some((name) => query.has(name))}>
      <summary>More filters</summary>
      <div class="line filters">
        <Select
          label="Type"
          name="type"
          value={filter.type ?? ""}
          choices={[any, ...threatTypes.map((type) => choice(type, facets.type.get(type)))]}
        />
        <Select
          label="Source"
          name="source"
          value={filter.source ?? ""}
          choices={[any, ...threatSources.map((source) => choice(source, facets.source.get(source)))]}
        />
        <Select
          label="Indicator"
          name="sign"
          value={filter.indicator ?? ""}
          choices={[any, ...indicators.map((one) => ({ value: one, label: indicatorLabels[one] }))]}
        />
        <Select
          label="Verified"
          name="verified"
          value={query.get("verified") ?? ""}
          choices={[any, { value: "yes", label: "yes" }, { value: "no", label: "no" }]}
        />
        <TextField type="date" label="First seen from" name="from" value={dayValue(filter.from)} />
        <TextField type="date" label="First seen to" name="to" value={dayValue(lastDay(filter))} />
        <TextField
          label="Minimum similarity"
          name="similarity"
          value={query.get("similarity") ?? ""}
          placeholder="0.90"
          maxLength={6}
        />
      </div>
    </details>
  );
}

function lastDay({ before }: SearchFilter): number | undefined {
  return before === undefined ? undefined : before - 1;
}

function dayValue(at: number | undefined): string {
  return at === undefined ? "" : formatDay(at);
}

function pick(query: URLSearchParams, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (query.has(name) ? [[name, query.get(name)!]] : [])));
}

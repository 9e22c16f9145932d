import type { ComponentChildren } from "preact";
import {
  sortKeys,
  type SearchFilter,
  type SearchOrder,
  type SortKey,
  type ThreatIndex,
} from "../../../../threats/index/threat-index.ts";
import { wordsForPeople } from "../../../../access/accounts/account-names.ts";
import { grouped } from "../../../../platform/lib/wording.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import type { Facets } from "../../../../threats/index/facets.ts";
import { indicators } from "../../../../threats/threats/severity/indicators.ts";
import { severities, statuses, threatSources, threatTypes } from "../../../../platform/vocabulary/threats.ts";
import { siteStates } from "../../../../platform/vocabulary/site.ts";
import { HiddenFields, Button, TextField } from "../../kit/form.tsx";
import { Icon, type IconName, Name, indicatorLabels, inWords } from "../../kit/inline.tsx";
import { threatsPath } from "../../kit/paths.ts";
import { defaultDirection, listPath, sortPath, activeFilters } from "../../threat-kit/filters.ts";

/** The search field, the filters of the view as chips, a menu of further ones, and the order. */
export function FilterBar(props: {
  query: URLSearchParams;
  filter: SearchFilter;
  order: SearchOrder;
  choices: FilterChoices;
}) {
  const { query, filter, order, choices } = props;
  const kept = [...query].filter(([name]) => name !== "q" && !menuFields.includes(name));
  return (
    <form method="get" action={threatsPath} class="line inset filters" id="filters" data-apply="">
      <HiddenFields fields={Object.fromEntries(kept)} />
      <div class="search">
        <Icon name="search" />
        <input
          class="input"
          type="search"
          id="q"
          name="q"
          value={query.get("q") ?? ""}
          aria-label="Filter by name"
          placeholder="Name or URL"
          maxLength={1024}
          spellcheck={false}
          autocapitalize="none"
          autocomplete="off"
          data-key="/"
        />
      </div>
      <div class="line" id="chips">
        {activeFilters(query, filter).map(({ name, label, value, without }) => (
          <span class="chip">
            <span>
              {label} <b>{name === "domain" ? <Name name={value} /> : value}</b>
            </span>
            <a href={listPath(query, without)} aria-label={`Remove filter: ${label.toLowerCase()} ${value}`}>
              <Icon name="x" />
            </a>
          </span>
        ))}
        <FilterMenu query={query} choices={choices} />
      </div>
      <SortMenu query={query} order={order} />
      <button class="btn small vh" type="submit">
        Apply filter
      </button>
    </form>
  );
}

const sortLabels: Record<SortKey, readonly [string, string]> = {
  severity: ["Most severe", "Least severe"],
  first_seen: ["Newest", "Oldest"],
  similarity: ["Most similar", "Least similar"],
  due: ["Due last", "Due first"],
  status_changed: ["Last decided", "First decided"],
  name: ["Name, Z to A", "Name, A to Z"],
};

/** A link for each order. The link of the present order reverses it. */
function SortMenu({ query, order }: { query: URLSearchParams; order: SearchOrder }) {
  return (
    <div class="push">
      <Dropdown
        icon="filter"
        label={
          <span>
            <span class="vh">Sorted by: </span>
            {sortLabels[order.key][order.descending ? 0 : 1]}
          </span>
        }
      >
        <ul class="menu end">
          {sortKeys.map((key) => {
            const isHere = key === order.key;
            const descending = isHere ? !order.descending : defaultDirection(key) === "desc";
            return (
              <li>
                <a href={sortPath(query, order, key)}>{sortLabels[key][descending ? 0 : 1]}</a>
              </li>
            );
          })}
        </ul>
      </Dropdown>
    </div>
  );
}

/** Values of one filter, with the number of threats that each would leave; undefined: unknown. */
interface Choice {
  value: string;
  count: number | undefined;
}

/** Choices of the menu, by parameter. */
type FilterChoices = Record<
  "status" | "site_state" | "severity" | "assignee" | "domain" | "type" | "sign" | "verified" | "source",
  Choice[]
>;

const domainsShownMax = 12;
const assigneesShownMax = 12;
/** Parameters that the menu has a field for. */
const menuFields: readonly string[] = ["from", "to", "similarity"];

/** Counts the choices of each filter in the present view. */
export async function filterChoices(given: {
  filter: SearchFilter;
  facets: Facets;
  domains: readonly string[];
  /** Names of accounts. */
  assignees: readonly string[];
  index: Pick<ThreatIndex, "quickCounts">;
}): Promise<FilterChoices> {
  const { filter, facets, domains, assignees, index } = given;
  const counted = async <T extends string>(values: readonly T[], filterBy: (value: T) => SearchFilter) => {
    const counts = await index.quickCounts(values.map((value) => ({ ...filter, ...filterBy(value) })));
    return values.map((value, position) => ({ value, count: counts[position] }));
  };
  const ofFacet = <T extends string>(values: readonly T[], counts: ReadonlyMap<T | null, number>) =>
    values.map((value) => ({ value, count: counts.get(value) ?? 0 }));
  const all = [...facets.status.values()].reduce((sum, count) => sum + count, 0);
  const byDomain = await counted(domains, (protectedDomain) => ({ protectedDomain }));
  byDomain.sort((a, b) => (b.count ?? 0) - (a.count ?? 0));
  return {
    status: [...ofFacet(statuses, facets.status), { value: "all", count: all }],
    site_state: ofFacet(siteStates, facets.siteState).filter(({ count }) => count > 0),
    severity: ofFacet(severities, facets.severity),
    assignee: (
      await counted([wordsForPeople.nobody, ...assignees], (name) => ({
        assignee: name === wordsForPeople.nobody ? null : name,
      }))
    )
      .filter(({ count }) => count !== 0)
      .slice(0, assigneesShownMax),
    domain: byDomain.filter(({ count }) => count !== 0).slice(0, domainsShownMax),
    type: ofFacet(threatTypes, facets.type).filter(({ count }) => count > 0),
    sign: (await counted(indicators, (indicator) => ({ indicator }))).filter(({ count }) => count !== 0),
    verified: await counted(["yes", "no"], (value) => ({ verified: value === "yes" })),
    source: ofFacet(threatSources, facets.source).filter(({ count }) => count > 0),
  };
}

/** The menu behind *Filter*: a link for each choice, and fields for what has no few choices. */
function FilterMenu({ query, choices }: { query: URLSearchParams; choices: FilterChoices }) {
  const group = (title: string, name: keyof FilterChoices, label: (value: string) => string) => (
    <ChoiceLinks title={title} name={name} label={label} choices={choices[name]} query={query} />
  );
  return (
    <Dropdown icon="plus" label="Filter" class="chip add">
      <div class="menu choices">
        {group("Severity", "severity", inWords)}
        {group("Status", "status", inWords)}
        {group("Site", "site_state", inWords)}
        {group("Assigned to", "assignee", (value) => visible(value, 40))}
        {group("Verified", "verified", (value) => value)}
        {group("Evidence", "sign", (value) => indicatorLabels[value as keyof typeof indicatorLabels])}
        {group("Protected domain", "domain", (value) => value)}
        {group("Type", "type", inWords)}
        {group("Source", "source", inWords)}
        <div class="fields">
          <MomentField label="First seen from (UTC)" name="from" query={query} />
          <MomentField label="First seen to (UTC)" name="to" query={query} />
          <TextField
            label="Minimum similarity"
            name="similarity"
            value={query.get("similarity") ?? ""}
            placeholder="0.90"
            maxLength={6}
          />
          <Button label="Apply" small />
        </div>
      </div>
    </Dropdown>
  );
}

/** A day; or a time as a link of the overview set it, which a field for days would lose. */
function MomentField({ label, name, query }: { label: string; name: string; query: URLSearchParams }) {
  const value = query.get(name) ?? "";
  return <TextField type={value.includes("T") ? "text" : "date"} label={label} name={name} value={value} />;
}

function ChoiceLinks(props: {
  title: string;
  name: keyof FilterChoices;
  label: (value: string) => string;
  choices: readonly Choice[];
  query: URLSearchParams;
}) {
  const { title, name, label, choices, query } = props;
  if (choices.length === 0) return null;
  const here = query.get(name) ?? (name === "status" ? "active" : undefined);
  return (
    <section>
      <h3>{title}</h3>
      <ul>
        {choices.map(({ value, count }) => (
          <li>
            <a href={listPath(query, { [name]: value })} aria-current={value === here ? "true" : undefined}>
              <span class="cut">{name === "domain" ? <Name name={value} /> : label(value)}</span>
              {count === undefined ? null : <span class="push faint">{grouped(count)}</span>}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A button that opens a menu, without script. */
export function Dropdown(props: {
  icon: IconName;
  label: ComponentChildren;
  class?: string;
  children: ComponentChildren;
}) {
  const { icon, label, class: className = "btn plain small", children } = props;
  return (
    <details class="opens">
      <summary class={className}>
        <Icon name={icon} />
        {label}
      </summary>
      {children}
    </details>
  );
}

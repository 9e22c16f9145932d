import {
  sortKeys,
  type SearchFilter,
  type SearchOrder,
  type SortKey,
} from "../../../../threats/index/threat-index.ts";
import { HiddenFields } from "../../kit/form.tsx";
import { Icon } from "../../kit/icons.tsx";
import { Name } from "../../kit/name.tsx";
import { threatsPath } from "../../kit/paths.ts";
import { defaultDirection, listPath, sortPath } from "../../threat-kit/filters.ts";
import { Dropdown } from "./dropdown.tsx";
import { activeFilters } from "../../threat-kit/filter-labels.ts";
import { FilterMenu, type FilterChoices, menuFields } from "./filter-menu.tsx";

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

/** A link for each order; that of the present one reverses it. */
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

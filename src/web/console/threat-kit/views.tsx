import type { SavedView } from "../../../access/views/saved-views.ts";
import { PublicError } from "../../../platform/lib/errors.ts";
import type { SearchFilter } from "../../../threats/index/threat-index.ts";
import { grouped } from "../../../platform/lib/wording.ts";
import { savedViewPath, newViewPath, pathWith } from "../kit/paths.ts";
import type { Context } from "../shell/router.ts";
import { Icon } from "../kit/inline.tsx";
import { usePage } from "../kit/page-context.ts";
import { listPath, readListRequest, type ListReader } from "./filters.ts";
import usualViews from "./usual-views.json" with { type: "json" };

/** A tab above the list. */
export interface ViewTab {
  label: string;
  path: string;
  isHere: boolean;
  /** Undefined: its filters are no longer valid. */
  filter: SearchFilter | undefined;
  /** Set for a saved view. */
  saved: SavedView | undefined;
}

const mine = "Mine";

/** Parameters of the views that always exist. Any other is reachable by its filters, and can be saved. */
const alwaysThere: Readonly<Record<string, Record<string, string>>> = usualViews;

/** Returns the tabs for the list that shows `query`. */
export function viewTabs(
  saved: readonly SavedView[],
  query: URLSearchParams,
  reader: ListReader & Pick<Context, "may">,
): ViewTab[] {
  const here = normalized(query);
  const look = query.get("look") ?? undefined;
  const group = query.get("group") ?? undefined;
  // Threats are assigned to those who can decide.
  const offered = Object.entries(alwaysThere).filter(([label]) => label !== mine || reader.may("decide"));
  const tabs = [
    ...offered.map(([label, parameters]) => tabOf(label, new URLSearchParams(parameters), undefined)),
    ...saved.map((view) => tabOf(view.name, new URLSearchParams(view.query), view)),
  ];
  // A saved view can have the filters of a usual one; only one tab is the present one.
  const current = tabs.findLastIndex(({ isHere }) => isHere);
  return tabs.map((tab, index) => ({ ...tab, isHere: index === current }));

  function tabOf(label: string, given: URLSearchParams, view: SavedView | undefined): ViewTab {
    const filter = filterIn(given, reader);
    const path =
      filter === undefined && view !== undefined
        ? savedViewPath(view.seq)
        : listPath(given, {
            ...(given.has("look") ? {} : { look }),
            ...(given.has("group") ? {} : { group }),
          });
    return { label, path, isHere: filter !== undefined && normalized(given) === here, filter, saved: view };
  }
}

/** A filter can become invalid with another version of the program, and then must not break the page. */
function filterIn(query: URLSearchParams, reader: ListReader): SearchFilter | undefined {
  try {
    return readListRequest(query, reader).filter;
  } catch (error) {
    if (error instanceof PublicError) return undefined;
    throw error;
  }
}

/** Normalizes a view for comparison: forms also send defaults, and how it is shown makes no other view. */
function normalized(query: URLSearchParams): string {
  const usual = new URLSearchParams(query);
  usual.delete("status", "active");
  usual.delete("sort", "severity");
  usual.delete("look");
  usual.delete("group");
  usual.sort();
  return usual.toString();
}

/**
 * The views as tabs, each with its number of threats.
 * @param counts by the same index as `tabs`; undefined: unknown
 */
export function ViewTabs(props: {
  tabs: readonly ViewTab[];
  counts: readonly (number | undefined)[];
  query: URLSearchParams;
}) {
  const { tabs, counts, query } = props;
  const maySave = usePage().mayOpen("GET", newViewPath);
  return (
    <nav class="tabs inset" id="views" aria-label="Views" tabIndex={0}>
      {tabs.map(({ label, path, isHere, filter }, index) =>
        // An invalid view can only be deleted.
        filter === undefined && !maySave ? null : (
          <a
            href={path}
            aria-current={isHere ? "page" : undefined}
            title={filter === undefined ? "The filters of this view are no longer valid." : undefined}
          >
            {label}
            {filter === undefined ? <Icon name="warn" /> : <Count value={counts[index]} />}
          </a>
        ),
      )}
      {maySave ? (
        <a href={pathWith(newViewPath, query)} aria-label="Save this view" title="Save this view">
          <Icon name="plus" />
        </a>
      ) : null}
    </nav>
  );
}

function Count({ value }: { value: number | undefined }) {
  return value === undefined ? null : <span>{grouped(value)}</span>;
}

import { grouped } from "../../../../platform/lib/wording.ts";
import { Icon } from "../../kit/icons.tsx";
import { usePage } from "../../kit/page-context.ts";
import { newViewPath, pathWith } from "../../kit/paths.ts";
import type { ViewTab } from "./views.ts";

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

import { grouped } from "../../../lib/wording.ts";
import type { SearchFilter } from "../../../threat-index/threat-index.ts";
import { triageThreatsMax } from "../../../threats/triage/batches.ts";
import { Icon } from "../../kit/icons.tsx";
import { usePage } from "../../kit/page-context.ts";
import { decisions } from "../../threat-kit/decisions.ts";

/** Buttons for decisions on the selected threats. */
export function SelectionBar({
  filter,
  total,
  shown,
}: {
  filter: SearchFilter;
  /** Number of threats in the view. */
  total: number;
  /** Number of them on this page. */
  shown: number;
}) {
  if (!usePage().may("decide")) return null;
  const all =
    total > triageThreatsMax
      ? `the first ${grouped(triageThreatsMax)} of ${grouped(total)}`
      : `all ${grouped(total)}`;
  return (
    <div class="bulk" role="group" aria-label="Selected threats">
      <b data-selected="">Selected</b>
      <label class="check" data-script-only hidden>
        <input type="checkbox" data-select-all="id campaign" />
        this page
      </label>
      {total > shown ? (
        <label class="check">
          <input type="checkbox" name="all" value="yes" />
          {all} of this view
        </label>
      ) : null}
      {decisions
        .filter(({ status }) => status !== filter.status)
        .map(({ status, label, key }) => (
          <button type="submit" name="status" value={status} class="btn small" data-row-key={key}>
            {status === "resolved" ? <Icon name="check" /> : null}
            {label}
            <kbd aria-hidden="true">{key.toUpperCase()}</kbd>
          </button>
        ))}
    </div>
  );
}

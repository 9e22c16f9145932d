import type { Assignee } from "../../../../response/cases/cases.ts";
import { capitalized, grouped } from "../../../../platform/lib/wording.ts";
import type { SearchFilter } from "../../../../threats/index/threat-index.ts";
import { triageThreatsMax } from "../../../../threats/threats/triage/batches.ts";
import { Icon } from "../../kit/icons.tsx";
import { usePage } from "../../kit/page-context.ts";
import { changeCasesPath } from "../../kit/paths.ts";
import { accountChoices, nobodyChoice } from "../cases/assignee-field.ts";
import { dueChoices } from "./case-changes.ts";
import { Dropdown } from "./dropdown.tsx";
import { decisions } from "../../threat-kit/decisions.ts";

/** A button that changes the cases of the selected threats instead of deciding about them. */
const caseButton = (change: "me" | "assignee" | "due") => ({
  name: "change",
  value: change,
  formaction: changeCasesPath,
});

/** Buttons for decisions on the selected threats. */
export function SelectionBar(props: {
  filter: SearchFilter;
  /** Number of threats in the view. */
  total: number;
  /** Number of them on this page. */
  shown: number;
  assignees: readonly Assignee[];
}) {
  const { filter, total, shown, assignees } = props;
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
      <button type="submit" {...caseButton("me")} class="btn small" data-row-key="m">
        Assign to me
        <kbd aria-hidden="true">M</kbd>
      </button>
      <Dropdown icon="people" label="Assign, due">
        <div class="menu end up">
          <div class="pick">
            <select name="assignee" class="input" aria-label="Assign to">
              {[...accountChoices(assignees), nobodyChoice].map(({ value, label }) => (
                <option value={value}>{label}</option>
              ))}
            </select>
            <button type="submit" {...caseButton("assignee")} class="btn small">
              Assign
            </button>
          </div>
          <div class="pick">
            <select name="due" class="input" aria-label="Due">
              {Object.entries(dueChoices).map(([value, { label }]) => (
                <option value={value}>{capitalized(label)}</option>
              ))}
            </select>
            <button type="submit" {...caseButton("due")} class="btn small">
              Set due time
            </button>
          </div>
        </div>
      </Dropdown>
    </div>
  );
}

import type { Assignee, CaseChange } from "../../../../response/cases/cases.ts";
import { capitalized, grouped, counted } from "../../../../platform/lib/wording.ts";
import type { SearchFilter, ThreatIndex } from "../../../../threats/index/threat-index.ts";
import { triageThreatsMax } from "../../../../threats/threats/triage/batches.ts";
import { dayMs } from "../../../../platform/lib/clock.ts";
import { badRequest } from "../../../../platform/lib/errors.ts";
import type { Flash } from "../../kit/components.tsx";
import { Icon } from "../../kit/inline.tsx";
import { usePage } from "../../kit/page-context.ts";
import { changeCasesPath } from "../../kit/paths.ts";
import {
  accountChoices,
  nobodyChoice,
  assigneeLabel,
  ownAssignee,
  readAssignee,
} from "../../threat-kit/assignee-field.ts";
import { decisions, endDecision } from "../../threat-kit/decisions.tsx";
import type { PageResult } from "../../kit/page-result.ts";
import type { Context } from "../../shell/router.ts";
import { listPath, readListRequest, type ListRequest } from "../../threat-kit/filters.ts";
import { parseWholeNumber } from "../../kit/fields.ts";
import { Dropdown } from "./filter-bar.tsx";

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

/** Due times that can be set for many threats at once: days from now, by value of the field `due`; null: none. */
const dueChoices: Readonly<Record<string, { label: string; days: number | null }>> = {
  "1": { label: "in 1 day", days: 1 },
  "3": { label: "in 3 days", days: 3 },
  "7": { label: "in 7 days", days: 7 },
  "30": { label: "in 30 days", days: 30 },
  none: { label: "no due time", days: null },
};

type CasesContext = Context<"cases" | "threatIndex">;

/** Assigns the selected threats, or sets their due time: `change` is `me`, `assignee` or `due`. */
export async function changeCases(context: CasesContext): Promise<PageResult> {
  const { services, request, form } = context;
  const given = new URLSearchParams(form.get("query") ?? "");
  const list = readListRequest(given, context);
  const ids = await selectedIds(services.threatIndex(), form, list);
  const to = listPath(list.query, { page: given.get("page") ?? undefined });
  if (ids.length === 0) return endDecision(request, { to, flash: nothingSelected(form) });
  const change = form.get("change");
  if (change !== "me" && change !== "assignee" && change !== "due") throw badRequest("choose what to change");
  const flash = change === "due" ? await setDue(context, ids) : await assign(context, ids, change);
  return endDecision(request, { to, flash });
}

async function assign(context: CasesContext, ids: string[], to: "me" | "assignee"): Promise<Flash> {
  const { services, account, by, form, write } = context;
  const chosen = to === "me" ? ownAssignee : (form.get("assignee") ?? "");
  const assignee = readAssignee(chosen, { account, cases: services.cases });
  const result = await write(() => services.cases.assign(ids, assignee?.seq ?? null, { by }));
  return describe(result, `assigned to ${assigneeLabel(assignee)}`);
}

async function setDue({ services, by, form, now, write }: CasesContext, ids: string[]): Promise<Flash> {
  const choice = dueChoices[form.get("due") ?? ""];
  if (choice === undefined) throw badRequest("There is no such due time; choose one from the list.");
  const at = choice.days === null ? null : now + choice.days * dayMs;
  const result = await write(() => services.cases.setDue(ids, at, { by }));
  return describe(result, at === null ? "without a due time" : `due ${choice.label}`);
}

/** @param state what is true of the changed threats now */
function describe({ changed, unchanged, closed, unknown }: CaseChange, state: string): Flash {
  const texts = [
    changed === 0 ? "No changes." : `${counted(changed, "threat is", "threats are")} now ${state}.`,
    unchanged === 0
      ? ""
      : `${counted(unchanged, "threat", "threats")} already ${unchanged === 1 ? "was" : "were"}.`,
    closed === 0 ? "" : `${counted(closed, "threat has", "threats have")} no due time because of a decision.`,
    unknown === 0 ? "" : `${counted(unknown, "threat no longer exists", "threats no longer exist")}.`,
  ];
  return { tone: changed > 0 ? "success" : "warning", text: texts.filter((text) => text !== "").join(" ") };
}

/** Returns the message for a form that selects no threats. */
export function nothingSelected(form: URLSearchParams): Flash {
  const text = form.has("campaign")
    ? "The selected campaigns have changed, and have no threats in this view. Reload the list."
    : "No threats selected.";
  return { tone: "warning", text };
}

/**
 * Returns the ids of the threats that a form of the list selects: single ones, the members of campaigns that match the
 * filters, or the first `triageThreatsMax` of the view. Threats that are newer than the page are left out.
 * @throws PublicError `bad_request`: more are selected than one change may contain
 */
export async function selectedIds(
  index: Pick<ThreatIndex, "ids">,
  form: URLSearchParams,
  { filter, order }: Pick<ListRequest, "filter" | "order">,
): Promise<string[]> {
  if (form.get("all") === "yes")
    return index.ids(filter, order, { max: triageThreatsMax, lastSeq: lastSeqOf(form) });
  const ids = new Set(form.getAll("id"));
  for (const given of new Set(form.getAll("campaign"))) {
    const campaignSeq = parseWholeNumber(given);
    if (campaignSeq === undefined)
      throw badRequest("a selected campaign has no valid number; reload the list");
    // One more than permitted shows that there are too many.
    const limits = { max: triageThreatsMax + 1, lastSeq: lastSeqOf(form) };
    for (const id of await index.ids({ ...filter, campaignSeq }, order, limits)) ids.add(id);
    if (ids.size > triageThreatsMax)
      throw badRequest(
        `More than ${grouped(triageThreatsMax)} threats are selected, the maximum of one change. Select fewer campaigns, or narrow the filters.`,
      );
  }
  return [...ids];
}

function lastSeqOf(form: URLSearchParams): number {
  const seq = parseWholeNumber(form.get("last_seq"));
  if (seq === undefined) throw badRequest("the list is out of date; reload it");
  return seq;
}

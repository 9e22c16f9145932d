import type { CaseChange } from "../../../../response/cases/cases.ts";
import { dayMs } from "../../../../platform/lib/clock.ts";
import { badRequest } from "../../../../platform/lib/errors.ts";
import { counted } from "../../../../platform/lib/wording.ts";
import type { Flash, PageResult } from "../../kit/page-result.ts";
import type { Context } from "../../shell/router.ts";
import { listPath, readListRequest } from "../../threat-kit/filters.ts";
import { endDecision } from "../../threat-kit/toast.tsx";
import { assigneeLabel, ownAssignee, readAssignee } from "../cases/assignee-field.ts";
import { nothingSelected, selectedIds } from "./selection.ts";

/** Due times that can be set for many threats at once: days from now, by value of the field `due`; null: none. */
export const dueChoices: Readonly<Record<string, { label: string; days: number | null }>> = {
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

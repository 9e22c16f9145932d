import { badRequest, notFound } from "../../../../platform/lib/errors.ts";
import type { Instant } from "../../../../platform/lib/clock.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import type { Threat } from "../../../../threats/threats/store/queries.ts";
import { attempt } from "../../kit/fields.ts";
import { redirect, type PageResult } from "../../kit/page-result.ts";
import { threatPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { listPath, readListRequest } from "../../threat-kit/filters.ts";
import { assigneeLabel, readAssignee } from "./assignee-field.ts";

type CaseContext = Context<"cases" | "threats">;

const nameCharactersMax = 60;

/** Assigns a threat to an account or to nobody. */
export async function assignThreat(context: CaseContext): Promise<PageResult> {
  const { services, form, by, account } = context;
  const { id, domain } = findThreat(context);
  return end(context, id, async () => {
    const assignee = readAssignee(form.get("assignee") ?? "", { account, cases: services.cases });
    const { changed } = await context.write(() => services.cases.assign([id], assignee?.seq ?? null, { by }));
    return changed === 0
      ? "The assignee is the same as before."
      : `${visible(domain, nameCharactersMax)} is assigned to ${assigneeLabel(assignee)}.`;
  });
}

/** Sets or removes the due time of a threat. */
export async function setDueTime(context: CaseContext): Promise<PageResult> {
  const { services, form, by } = context;
  const { id, domain } = findThreat(context);
  return end(context, id, async () => {
    const at = readTime(form.get("due") ?? "");
    const { changed, closed } = await context.write(() => services.cases.setDue([id], at, { by }));
    if (closed > 0) throw badRequest("Only active threats have a due time. Reactivate the threat first.");
    if (changed === 0) return "The due time is the same as before.";
    const name = visible(domain, nameCharactersMax);
    return at === null ? `${name} has no due time.` : `The due time of ${name} is set.`;
  });
}

/** Runs the change, and returns to the page or the panel that it was requested from. */
async function end(context: CaseContext, id: string, change: () => Promise<string>): Promise<PageResult> {
  const { form } = context;
  const { query: view } = readListRequest(new URLSearchParams(form.get("view") ?? ""), context);
  const back = form.get("from") === "panel" ? listPath(view, { open: id }) : threatPath(id, view);
  const done = await attempt(change);
  return redirect(back, done.ok ? done.value : { tone: "danger", text: done.message });
}

function findThreat({ services, params }: CaseContext): Threat {
  const threat = services.threats.get(params["id"] ?? "");
  if (threat === undefined) throw notFound("There is no threat with this ID.");
  return threat;
}

/** Reads the value of the field, which has no zone: it is UTC. Empty: none. */
function readTime(text: string): Instant | null {
  if (text === "") return null;
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text) ? Date.parse(`${text}Z`) : Number.NaN;
  if (Number.isNaN(at)) throw badRequest("Write the due time as 2026-01-31T12:00, in UTC.");
  return at;
}

import { parseWholeNumber } from "../../kit/fields.ts";
import type { PageResult } from "../../kit/page-result.ts";
import { ownPath } from "../../shell/visitors.ts";
import type { Context } from "../../shell/router.ts";
import { undoFlash } from "../../threat-kit/decisions.ts";
import { endDecision } from "../../threat-kit/toast.tsx";

/** Undoes a decision, of one threat or of several; `latest` is the last one of the visitor. */
export async function undoTriage({
  services,
  request,
  form,
  by,
  now,
}: Context<"threats">): Promise<PageResult> {
  const { decisions, triage } = services.threats;
  const given = form.get("act");
  const to = ownPath(form.get("back"));
  const batch = given === "latest" ? triage.latest(by) : (parseWholeNumber(given) ?? 0);
  if (batch === undefined)
    return endDecision(request, { to, flash: { tone: "warning", text: "You have no decision to undo." } });
  const outcome = await decisions.undo(batch, { by });
  return endDecision(request, {
    to,
    flash: undoFlash(outcome, now),
    batch: outcome.outcome === "undone" ? batch : undefined,
  });
}

import { badRequest } from "../../../lib/errors.ts";
import { counted } from "../../../lib/wording.ts";
import { triageThreatsMax, type UndoOutcome } from "../../../threats/triage/triage.ts";
import { statuses } from "../../../vocabulary/threats.ts";
import { attempt, parseWholeNumber } from "../../kit/fields.ts";
import { inWords } from "../../kit/labels.ts";
import { fragment, redirect, type Flash, type PageResult } from "../../kit/page-result.ts";
import { threatPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { CheckState } from "./detail-parts.tsx";
import { findThreat, renderThreat, type ThreatContext } from "./detail.tsx";
import { listPath, readListRequest } from "./filters.ts";

/** Applies a decision to the selected threats, or to all that match the filters. */
export async function triageThreats({
  services,
  form,
  by,
  write,
}: Context<"threats" | "threatIndex">): Promise<PageResult> {
  const status = statuses.find((one) => one === form.get("status"));
  if (status === undefined) throw badRequest("choose a decision");
  const { filter, order, query } = readListRequest(new URLSearchParams(form.get("query") ?? ""));
  const search = services.threatIndex();
  const ids =
    form.get("all") === "yes"
      ? await search.ids(filter, order, { max: triageThreatsMax, lastSeq: lastSeqOf(form) })
      : form.getAll("id");
  if (ids.length === 0) return redirect(listPath(query), { tone: "warning", text: "No threats selected." });
  const { batch, changed, unchanged } = await write(() =>
    services.threats.triage.change(ids, status, { by }),
  );
  if (batch === undefined) {
    const text = `No changes: ${counted(unchanged, "threat was", "threats were")} already ${inWords(status)}.`;
    return redirect(listPath(query), { tone: "warning", text });
  }
  // Keyboard users stay at the same row, which now shows the next threat.
  const at = /^\d{1,2}$/.test(form.get("at") ?? "") && changed === 1 ? `#row-${form.get("at")}` : "";
  return redirect(`${listPath(query, { done: String(batch) })}${at}`);
}

function lastSeqOf(form: URLSearchParams): number {
  const seq = parseWholeNumber(form.get("last_seq"));
  if (seq === undefined) throw badRequest("the list is out of date; reload it");
  return seq;
}

export async function undoTriage({ services, form, by, write }: Context<"threats">): Promise<PageResult> {
  const batch = parseWholeNumber(form.get("act")) ?? 0;
  const { query } = readListRequest(new URLSearchParams(form.get("query") ?? ""));
  return redirect(listPath(query), undoFlash(await write(() => services.threats.triage.undo(batch, { by }))));
}

/** Requests fresh lookups about a threat. */
export async function checkThreat(context: ThreatContext): Promise<PageResult> {
  const { id } = findThreat(context);
  const { enrichment } = context.services;
  if (await context.write(() => enrichment.request(id), { relaxed: true }))
    return redirect(`${threatPath(id)}?asked=yes`);
  return redirect(threatPath(id), {
    tone: "warning",
    text: "Lookups are off: lookups.enabled is false in the configuration.",
  });
}

export function showCheck(context: ThreatContext): PageResult {
  const { id } = findThreat(context);
  const { enrichment } = context.services;
  const isEnabled = enrichment.enabledLookups.names || enrichment.enabledLookups.registration;
  const isSettled = enrichment.isSettled(id);
  return fragment(
    <CheckState id={id} requested isEnabled={isEnabled} isSettled={isSettled} checkedAt={null} />,
  );
}

export async function decideThreat(context: ThreatContext): Promise<PageResult> {
  const { services, form, by } = context;
  const { id } = findThreat(context);
  const status = statuses.find((one) => one === form.get("status"));
  if (status === undefined) throw badRequest("Choose a decision.");
  const { batch } = await context.write(() => services.threats.triage.change([id], status, { by }));
  if (batch === undefined)
    return redirect(threatPath(id), { tone: "warning", text: `This threat is already ${inWords(status)}.` });
  return redirect(threatPath(id), {
    tone: "success",
    text: `This threat is now ${inWords(status)}.`,
    action: { label: "Undo", path: `${threatPath(id)}/undo`, fields: { act: String(batch) } },
  });
}

export async function undoDecision(context: ThreatContext): Promise<PageResult> {
  const { services, form, by } = context;
  const { id } = findThreat(context);
  const batch = parseWholeNumber(form.get("act")) ?? 0;
  return redirect(
    threatPath(id),
    undoFlash(await context.write(() => services.threats.triage.undo(batch, { by }))),
  );
}

export async function addNote(context: ThreatContext): Promise<PageResult> {
  const { services, form, by } = context;
  const { id } = findThreat(context);
  const text = form.get("text") ?? "";
  const added = await attempt(() => context.write(() => services.threats.notes.add(id, text, { by })));
  if (!added.ok) return renderThreat(context, { text, message: added.message });
  return redirect(`${threatPath(id)}#notes`, "Note added.");
}

/** Describes the outcome of an undo. */
function undoFlash(result: UndoOutcome): Flash {
  switch (result.outcome) {
    case "undone": {
      const restored = `${counted(result.restored, "threat")} restored.`;
      if (result.changedSince === 0) return { tone: "success", text: `Decision undone: ${restored}` };
      const skipped = counted(result.changedSince, "threat was", "threats were");
      return {
        tone: "warning",
        text: `${restored} ${skipped} changed since by someone else and left as is.`,
      };
    }
    case "undone_before":
      return { tone: "warning", text: "This decision was already undone. No changes were made." };
    default:
      return { tone: "warning", text: "Decisions can be undone for one day. This one is older." };
  }
}

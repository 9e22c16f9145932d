import { badRequest } from "../../../lib/errors.ts";
import { statuses } from "../../../vocabulary/threats.ts";
import { attempt, parseWholeNumber } from "../../kit/fields.ts";
import { inWords } from "../../kit/labels.ts";
import { fragment, redirect, type PageResult } from "../../kit/page-result.ts";
import { threatPath } from "../../kit/paths.ts";
import { undoFlash } from "../../threat-kit/decisions.ts";
import { CheckState } from "./detail-parts.tsx";
import { renderThreat } from "./detail.tsx";
import { findThreat, type ThreatContext } from "./find-threat.ts";

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

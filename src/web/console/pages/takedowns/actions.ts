import { notFound } from "../../../../platform/lib/errors.ts";
import { attempt, parseWholeNumber } from "../../kit/fields.ts";
import { download, redirect, type PageResult } from "../../kit/page-result.ts";
import { takedownPath } from "../../kit/paths.ts";
import { findReport, renderReport, type TypedResponse } from "./detail.tsx";
import type { TakedownContext } from "./parts.tsx";

export function downloadFile(context: TakedownContext): PageResult {
  const { report } = findReport(context);
  const position = parseWholeNumber(context.params["position"]);
  const file = position === undefined ? undefined : context.services.takedowns.file(report.seq, position);
  if (file === undefined) throw notFound("This file is no longer kept.");
  return download(`${report.reference}-${file.name}`, file.mediaType, new Uint8Array(file.content));
}

export async function addResponse(context: TakedownContext): Promise<PageResult> {
  return change(context, "Response saved.", (seq, typed) =>
    context.services.takedowns.addResponse(seq, typed, { by: context.by }),
  );
}

export async function markBounced(context: TakedownContext): Promise<PageResult> {
  return change(context, "The report is marked as bounced.", (seq, { text }) =>
    context.services.takedowns.markBounced(seq, text, { by: context.by }),
  );
}

export async function sendAgain(context: TakedownContext): Promise<PageResult> {
  return change(context, "The report is on its way to the mail server.", (seq) =>
    context.services.takedowns.sendAgain(seq, { by: context.by }),
  );
}

export async function postponeReport(context: TakedownContext): Promise<PageResult> {
  const at = context.now + context.services.config.takedown.followUpAfterMs;
  return change(context, "The follow-up was postponed.", (seq) =>
    context.services.takedowns.postpone(seq, at, { by: context.by }),
  );
}

export async function closeReport(context: TakedownContext): Promise<PageResult> {
  return change(context, "The report is closed.", (seq) =>
    context.services.takedowns.close(seq, { by: context.by }),
  );
}

/** Runs a change of a report. Shows invalid input beside its field. */
async function change(
  context: TakedownContext,
  done: string,
  work: (seq: number, typed: TypedResponse) => void,
): Promise<PageResult> {
  const details = findReport(context);
  const typed = { text: context.form.get("text") ?? "", ticket: context.form.get("ticket") ?? "" };
  const { seq } = details.report;
  const changed = await attempt(() => context.write(() => work(seq, typed)));
  return changed.ok ? redirect(takedownPath(seq), done) : renderReport(details, typed, changed.errors);
}

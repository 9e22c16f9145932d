import { badRequest, notFound } from "../../../../platform/lib/errors.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { statuses } from "../../../../platform/vocabulary/threats.ts";
import { bundleWithReport } from "../../../../response/cases/takedowns/files.ts";
import { gatherEvidence } from "../../../../response/evidence/evidence-bundle.ts";
import { attempt } from "../../kit/fields.ts";
import { fragment, redirect, type PageResult, download } from "../../kit/page-result.ts";
import { threatPath } from "../../kit/paths.ts";
import { decidedFlash, decisionOptions, leavesView, endDecision } from "../../threat-kit/decisions.tsx";
import { listPath, readListRequest } from "../../threat-kit/filters.ts";
import { renderThreat } from "./threat.tsx";
import { findThreat, type ThreatContext } from "./load.ts";
import { CheckState } from "./head.tsx";

const nameCharactersMax = 60;

/** Requests fresh lookups about a threat. */
export async function checkThreat(context: ThreatContext): Promise<PageResult> {
  const { id } = findThreat(context);
  const { enrichment } = context.services;
  const view = viewOf(context);
  if (!(await context.write(() => enrichment.request(id), { relaxed: true })))
    return redirect(threatPath(id, view), {
      tone: "warning",
      text: "Nothing was looked up, because lookups.enabled is false in the configuration file. Set it to true to check threats.",
    });
  view.set("asked", "yes");
  return redirect(threatPath(id, view));
}

export function showCheck(context: ThreatContext): PageResult {
  const { id } = findThreat(context);
  const { enrichment } = context.services;
  const isEnabled = enrichment.enabledLookups.names || enrichment.enabledLookups.registration;
  const { query: view } = readListRequest(context.query, context);
  const isSettled = enrichment.isSettled(id);
  return fragment(
    <CheckState id={id} view={view} requested isEnabled={isEnabled} isSettled={isSettled} checkedAt={null} />,
  );
}

/** Decides, and goes on to the next threat of the view. */
export async function decideThreat(context: ThreatContext): Promise<PageResult> {
  const { services, form, by, now, request } = context;
  const { id, domain } = findThreat(context);
  const status = statuses.find((one) => one === form.get("status"));
  if (status === undefined) throw badRequest("Choose a decision.");
  const view = viewOf(context);
  const here = threatPath(id, view);
  const { triage } = services.threats;
  const result = await context.write(() => triage.change([id], status, decisionOptions(form, by)));
  const name = visible(domain, nameCharactersMax);
  const flash = decidedFlash({ result, status, back: here, now, name });
  if (result.batch === undefined) {
    const left = result.unchanged > 0 && leavesView(readListRequest(view, context).filter, status);
    return endDecision(request, { to: here, flash, left });
  }
  const to = status === "active" ? here : await pathAfter(context, id, view);
  return endDecision(request, { to, flash, batch: result.batch });
}

/** Returns the page of the next threat in a view, of the previous one after the last, or the list after the only one. */
async function pathAfter(context: ThreatContext, id: string, view: URLSearchParams): Promise<string> {
  const { filter, order } = readListRequest(view, context);
  const place = await context.services.threatIndex().around(filter, order, id);
  const neighbor = place?.next ?? place?.previous;
  return neighbor === undefined ? listPath(view) : threatPath(neighbor.id, view);
}

export async function addNote(context: ThreatContext): Promise<PageResult> {
  const { services, form, by } = context;
  const { id } = findThreat(context);
  const text = form.get("text") ?? "";
  const view = viewOf(context);
  const added = await attempt(() => context.write(() => services.threats.notes.add(id, text, { by })));
  if (!added.ok) return renderThreat(context, { view, rejected: { text, message: added.message } });
  return redirect(`${threatPath(id, view)}#notes`, "Note added.");
}

/** Returns the view that a form was sent from. */
function viewOf(context: ThreatContext): URLSearchParams {
  return readListRequest(new URLSearchParams(context.form.get("view") ?? ""), context).query;
}

/** An address with the time of the screenshot always means the same image. */
const imageForever = "private, max-age=31536000, immutable";
/** Addresses without it are asked for again after this time. */
const originalMaxAgeSeconds = 3_600;

export async function sendThumbnail(context: ThreatContext): Promise<PageResult> {
  const { id } = findThreat(context);
  const { enrichment } = context.services;
  const webp = await enrichment.pictures.thumbnail(id);
  if (webp === undefined) throw notFound("There is no screenshot for this threat.");
  const version = String(enrichment.capturesOf([id]).get(id));
  return image(webp, context.query.get("v") === version ? imageForever : "no-store");
}

export async function sendOriginalThumbnail(context: ThreatContext): Promise<PageResult> {
  const webp = await context.services.enrichment.pictures.originalThumbnail(findThreat(context).id);
  if (webp === undefined) throw notFound("There is no screenshot of the protected domain.");
  return image(webp, `private, max-age=${originalMaxAgeSeconds}`);
}

export async function sendOriginalScreenshot(context: ThreatContext): Promise<PageResult> {
  const webp = await context.services.enrichment.originalOf(findThreat(context).id);
  if (webp === undefined) throw notFound("There is no screenshot of the protected domain.");
  return image(webp, "no-store");
}

function image(webp: Uint8Array<ArrayBuffer>, cacheControl: string): Response {
  return new Response(webp, { headers: { "content-type": "image/webp", "cache-control": cacheControl } });
}

/** Sends the response as a file, so that the browser renders none of it. */
export function downloadRegistration(context: ThreatContext): PageResult {
  const { id } = findThreat(context);
  const response = context.services.enrichment.registrationResponseOf(id);
  if (response === undefined) throw notFound("There is no stored registration response.");
  return download(`${id}-registration.txt`, "text/plain; charset=utf-8", response.text);
}

export async function downloadEvidence(context: ThreatContext): Promise<PageResult> {
  const { id } = findThreat(context);
  const { threats, enrichment, eventLog, deliveries } = context.services;
  const gathered = await gatherEvidence({ threats, enrichment, eventLog, deliveries: deliveries.log }, id);
  const { signature } = context.services.config.takedown;
  const bundle = bundleWithReport(gathered!, { now: context.now, signature });
  return download(`${id}-evidence.zip`, "application/zip", bundle);
}

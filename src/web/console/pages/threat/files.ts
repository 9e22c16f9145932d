import { bundleWithReport } from "../../../../response/cases/takedowns/files.ts";
import { gatherEvidence } from "../../../../response/evidence/evidence-bundle.ts";
import { notFound } from "../../../../platform/lib/errors.ts";
import { download, type PageResult } from "../../kit/page-result.ts";
import { findThreat, type ThreatContext } from "./load.ts";

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

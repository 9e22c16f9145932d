import { fillIn } from "../../../platform/lib/wording.ts";
import type { InspectionResult } from "../model/inspector.ts";
import { isOwnHost, type Owner } from "../discovery/own-names.ts";
import type { CaptureProblem } from "../model/original.ts";
import texts from "./capture-problems.json" with { type: "json" };

/** Status from which a response is an error instead of a page. */
const errorStatusMin = 400;
const detailLengthMax = 300;

/** Returns why a page cannot define what a brand looks like; undefined if it can. Whether it is secure does not count. */
export function problemOf(result: InspectionResult, owner: Owner): CaptureProblem | undefined {
  if (!result.ok) return { code: "unreachable", detail: result.reason.slice(0, detailLengthMax) };
  const { page, fingerprint, screenshot } = result;
  const host = URL.parse(page.finalUrl)?.hostname ?? "";
  if (!isOwnHost(host, owner)) return { code: "leads_elsewhere", detail: host.slice(0, detailLengthMax) };
  if (page.parked !== undefined) return { code: "parked", detail: page.parked.slice(0, detailLengthMax) };
  if (page.status >= errorStatusMin) return { code: "error_status", detail: String(page.status) };
  const { words, pictures, forms } = fingerprint;
  const isEmpty = words.length === 0 && pictures.length === 0 && forms.length === 0;
  if (isEmpty && screenshot === undefined)
    return { code: "no_content", detail: (page.unseen ?? "").slice(0, detailLengthMax) };
  return undefined;
}

const problems: Readonly<Record<CaptureProblem["code"], { text: string; advice: string }>> = texts;

/** Describes a problem, as a phrase that follows a colon. The detail is untrusted. */
export function describeProblem({ code, detail }: CaptureProblem): string {
  if (code === "no_content" && detail === "") return "the page has no content";
  return fillIn(problems[code].text, { detail });
}

/** Returns what to do about a problem, as a sentence. */
export function adviceOn({ code, detail }: CaptureProblem): string {
  return fillIn(problems[code].advice, { detail });
}

import type { InspectionResult } from "../model/inspector.ts";
import { isOwnHost, type Owner } from "../discovery/own-names.ts";
import type { CaptureProblem } from "../model/original.ts";

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

/** Describes a problem, as a phrase that follows a colon. The detail is untrusted. */
export function describeProblem({ code, detail }: CaptureProblem): string {
  switch (code) {
    case "unreachable":
      return `the page cannot be opened (${detail})`;
    case "error_status":
      return `the server responds with status ${detail}`;
    case "parked":
      return `the page is no site of yours (${detail})`;
    case "leads_elsewhere":
      return `the address leads to ${detail}, which is not an allowed name`;
    case "no_content":
      return detail === ""
        ? "the page has no content"
        : `the page has no content that can be read (${detail})`;
    case "insecure":
      return `the page came without a valid certificate (${detail}), and the version on record came with one`;
  }
}

/** Returns what to do about a problem, as a sentence. */
export function adviceOn({ code, detail }: CaptureProblem): string {
  switch (code) {
    case "unreachable":
      return "Pages on private networks are never opened. If visitors can open this one, let phishwatch reach it by a public address; otherwise remove it and add logos.";
    case "error_status":
    case "no_content":
      return "If visitors see a page there, the server may reject programs: allow the address of phishwatch there.";
    case "parked":
      return "Check who controls the name, or replace the address.";
    case "leads_elsewhere":
      return `If ${detail} is yours, add it to the allowed names.`;
    case "insecure":
      return "Check the certificate of the site, and whether somebody controls the network between.";
  }
}

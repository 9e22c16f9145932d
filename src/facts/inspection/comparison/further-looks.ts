import type { PageView } from "../../lookups/page/page-view.ts";
import { addressParts, isKnown } from "../measures/addresses.ts";
import type { PageFingerprint } from "../model/fingerprint.ts";
import type { Verdict } from "../model/verdict.ts";
import { ownPageCode } from "./signal-table.ts";

/** Maximum number of words of a page whose content is shown by something else. */
const emptyWordsMax = 25;
const emptyLengthMax = 100;
/** Score from which on a page that is not flagged is close enough for a second look. */
const doubtfulMin = 0.05;

/**
 * Returns whether a browser would show more of the page than its markup does: its content is rendered by scripts, is in a
 * frame or is a picture, it has a form without a text, it was too long to be read, or the comparison is undecided.
 */
export function needsBrowser({
  page,
  verdicts,
  view: { isCut, shownLength },
}: {
  page: PageFingerprint;
  verdicts: readonly Verdict[];
  view: Pick<PageView, "isCut" | "shownLength">;
}): boolean {
  if (page.from === "browser") return false;
  if (verdicts.some(({ imitates }) => imitates)) return false;
  if (verdicts.some(({ signals }) => signals.some(({ code }) => code === ownPageCode))) return false;
  if (isCut === true) return true;
  const { scripts, frames, pictures } = page.counts;
  const isEmpty = page.words.length <= emptyWordsMax || shownLength <= emptyLengthMax;
  // A background is a picture without an element, and a form that asks for data has to say somewhere for whom.
  const isRendered =
    scripts > 0 || frames > 0 || pictures > 0 || page.pictures.some(({ role }) => role !== "icon");
  if (isEmpty && (isRendered || page.forms.some(({ asksFor }) => asksFor.length > 0))) return true;
  return verdicts.some(({ score }) => score >= doubtfulMin);
}

/** Maximum number of words of a page that only leads to another one. */
const waypointWordsMax = 60;
const waypointLengthMax = 300;
/** Links of such a page: a page with more of them offers a choice. */
const waypointLinksMax = 2;
const waypointsMax = 2;

/**
 * Returns the addresses of the pages that a page shows in frames, or that its only links and forms lead to: kits put their
 * page into a frame, or behind “Continue”. Empty for a page that has content of its own.
 */
export function waypointsOf(
  { address, forms, links, resources, words }: PageFingerprint,
  { shownLength }: Pick<PageView, "shownLength">,
): string[] {
  const isBrief = words.length <= waypointWordsMax || shownLength <= waypointLengthMax;
  if (!isBrief || forms.some(({ asksFor }) => asksFor.length > 0)) return [];
  const framed = resources.filter(({ kind }) => kind === "frame").map(({ url }) => url);
  const linked = Object.keys(links);
  const sent = forms.map(({ action }) => action);
  const candidates =
    framed.length > 0 ? framed : linked.length <= waypointLinksMax ? [...sent, ...linked] : [];
  const others = candidates.filter((url) => {
    const parts = addressParts(url);
    return parts !== undefined && url !== address && !isKnown("shared", parts);
  });
  return [...new Set(others)].slice(0, waypointsMax);
}

/** Returns whether a page shows an address in a frame. */
export function hasFrame({ resources }: Pick<PageFingerprint, "resources">, address: string): boolean {
  return resources.some(({ kind, url }) => kind === "frame" && url === address);
}

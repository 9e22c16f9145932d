import type { PlaceClass } from "../../../../platform/vocabulary/traps.ts";
import { classifyPlace, placeOf, type Place } from "./places.ts";

/** Claims of a beacon's request about the page that carries it. Anyone can send anything. */
export interface PageReport {
  /** URL and referrer of the page, as the script reports them; null: the style sheet sent the request. */
  script: { url: string; referrer: string } | null;
  /** Headers of the request. */
  referer: string | null;
  origin: string | null;
}

export interface ClassifiedReport {
  class: PlaceClass;
  /** Host of the page; null if it has none. */
  host: string | null;
  /** URL of the page, as completely as it is known. */
  url: string;
  /** Referrer of the page; null if it has none or is unknown. */
  referrer: string | null;
  /** URL that the script reported, if the browser's headers contradict it. */
  claimedUrl: string | null;
}

/**
 * Determines where the page was shown. The headers of the browser (Referer, then Origin) take precedence over the
 * script: a copy of the page can change the script, but can only omit these headers. The script's URL, which is
 * complete, is used if both agree or the headers are missing.
 *
 * @param own hosts that may show the page, including all hosts below them; A-labels
 */
export function classifyReport(
  { script, referer, origin }: PageReport,
  own: readonly string[],
): ClassifiedReport {
  const claimed = script === null ? undefined : placeOf(script.url);
  const [browserUrl, browserPlace] = placeFromHeaders(referer, origin);
  const referrer = script === null || script.referrer === "" ? null : script.referrer;
  if (browserPlace === undefined) {
    if (script === null || claimed === undefined)
      return { class: "unknown", host: null, url: script?.url ?? "", referrer, claimedUrl: null };
    return { ...classifyPlace(claimed, own), url: script.url, referrer, claimedUrl: null };
  }
  const place = classifyPlace(browserPlace, own);
  if (script === null) return { ...place, url: browserUrl, referrer, claimedUrl: null };
  const agree = claimed?.kind === "host" && claimed.host === browserPlace.host;
  return agree
    ? { ...place, url: script.url, referrer, claimedUrl: null }
    : { ...place, url: browserUrl, referrer, claimedUrl: script.url };
}

function placeFromHeaders(
  referer: string | null,
  origin: string | null,
): [url: string, place: Extract<Place, { kind: "host" }> | undefined] {
  for (const text of [referer, origin]) {
    const place = placeOf(text);
    if (text !== null && place?.kind === "host") return [text, place];
  }
  return ["", undefined];
}

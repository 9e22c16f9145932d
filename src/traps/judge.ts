import { classifyPlace, placeOf, type Place } from "./places.ts";
import type { PlaceClass } from "../vocabulary/traps.ts";

/** What a beacon's request says of the page that it comes from. Anybody can say anything. */
export interface BeaconReport {
  /** The page's address and the page before it, as the script says; null: a style sheet asked. */
  script: { url: string; referrer: string } | null;
  /** Headers of the request. */
  referer: string | null;
  origin: string | null;
}

export interface JudgedReport {
  class: PlaceClass;
  /** Of the page; null where it has none. */
  host: string | null;
  /** Of the page, as full as it is known. */
  url: string;
  /** The page before it; null: none, or not known. */
  referrer: string | null;
  /** What the script said, where the browser's own word is against it. */
  claimedUrl: string | null;
}

/**
 * Where the page was shown. The browser's word (Referer, then Origin) goes before the script's, for a copy of
 * the page can change the script but not these headers, only leave them out; the script's word, which has the
 * full address, is taken where they agree or the browser says nothing.
 *
 * @param own names on which the page may be shown, with all below them; A-labels.
 */
export function judgeReport({ script, referer, origin }: BeaconReport, own: readonly string[]): JudgedReport {
  const claimed = script === null ? undefined : placeOf(script.url);
  const [browserUrl, browserPlace] = browsersWord(referer, origin);
  const referrer = script === null || script.referrer === "" ? null : script.referrer;
  if (browserPlace === undefined) {
    if (script === null || claimed === undefined)
      return { class: "unknown", host: null, url: script?.url ?? "", referrer, claimedUrl: null };
    return { ...classifyPlace(claimed, own), url: script.url, referrer, claimedUrl: null };
  }
  const judged = classifyPlace(browserPlace, own);
  if (script === null) return { ...judged, url: browserUrl, referrer, claimedUrl: null };
  const agree = claimed?.kind === "host" && claimed.host === browserPlace.host;
  return agree
    ? { ...judged, url: script.url, referrer, claimedUrl: null }
    : { ...judged, url: browserUrl, referrer, claimedUrl: script.url };
}

function browsersWord(
  referer: string | null,
  origin: string | null,
): [url: string, place: Extract<Place, { kind: "host" }> | undefined] {
  for (const text of [referer, origin]) {
    const place = placeOf(text);
    if (text !== null && place?.kind === "host") return [text, place];
  }
  return ["", undefined];
}

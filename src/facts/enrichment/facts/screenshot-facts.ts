import type { OriginalLook } from "../../inspection/originals/open-originals.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import { isAtOrBelow } from "../../../platform/lib/host-names.ts";
import { visualSimilarity } from "../../lookups/page/perceptual-hash.ts";
import type { ScreenshotKind } from "../../../platform/vocabulary/screenshots.ts";
import type { Facts } from "./facts.ts";

/** A screenshot of a threat's page. */
export interface SeenScreenshot {
  /** Perceptual hash; undefined for a blank page. */
  hash: string | undefined;
  /** URL at which the browser ended up. */
  url: string;
  protectedDomain: string;
  /** Setting `screenshots.keep`. */
  keep: ScreenshotKind;
  /** Looks of the protected domain's own pages, with which it is compared. */
  looks: readonly OriginalLook[];
  at: Instant;
}

/** Returns the facts with a new screenshot. */
export function withScreenshot(
  facts: Facts,
  { at, hash, keep, looks, protectedDomain, url }: SeenScreenshot,
): Facts {
  const { screenshot: _reason, ...unknown } = facts.unknown;
  const host = URL.parse(url)?.hostname;
  return {
    ...facts,
    unknown,
    screenshot: {
      at,
      ...(host === undefined ? {} : { atOriginal: isAtOrBelow(host, protectedDomain) }),
      ...(hash === undefined ? {} : { hash, ...closestOf(hash, looks) }),
      ...(keep === "full" ? {} : { kept: keep }),
    },
  };
}

/** Returns the original that a screenshot resembles most; undefined without any. */
function closestOf(
  hash: string,
  looks: readonly OriginalLook[],
): { visualSimilarity: number; original: string } | undefined {
  return looks
    .map((look) => ({ visualSimilarity: visualSimilarity(hash, look.hash), original: look.address }))
    .toSorted((one, other) => other.visualSimilarity - one.visualSimilarity)[0];
}

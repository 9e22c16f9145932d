import type { OriginalLook } from "../../inspection/originals/open-originals.ts";
import { type Instant, toIsoTime } from "../../../platform/lib/clock.ts";
import { isAtOrBelow } from "../../../platform/lib/host-names.ts";
import { visualSimilarity } from "../../lookups/page/perceptual-hash.ts";
import type { ScreenshotKind } from "../../../platform/vocabulary/inspections.ts";
import { type Facts, hasPage, parkedWith } from "./facts.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import { sentence } from "../../../platform/lib/wording.ts";

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
      atOriginal: host === undefined ? undefined : isAtOrBelow(host, protectedDomain),
      ...(hash === undefined ? {} : { hash, ...closestOf(hash, looks) }),
      kept: keep === "full" ? undefined : keep,
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

const reasonCharactersMax = 60;

/**
 * Explains to people why there is no screenshot of a threat's page.
 *
 * @param disabled why no screenshots are taken at all; undefined if they are.
 */
export function explainMissingScreenshot(facts: Facts | undefined, disabled: string | undefined): string {
  if (facts?.existence === undefined)
    return disabled === undefined ? "The page has not been checked yet." : sentence(disabled);
  const { existence, screenshot, unknown } = facts;
  if (screenshot?.deletedAt !== undefined)
    return `The screenshot of ${toIsoTime(screenshot.at).slice(0, 10)} was deleted, as retention.screenshots says.`;
  if (screenshot?.kept === "fingerprints")
    return screenshot.hash === undefined
      ? "The page was blank, so there is no fingerprint of its screenshot."
      : "Only the fingerprint of the screenshot is kept, as screenshots.keep says.";
  if (existence.exists === "no") return "The name does not exist in DNS.";
  if (existence.addresses.length === 0) return "The name has no addresses.";
  const parked = parkedWith(facts);
  if (parked !== undefined) return sentence(`the name is parked (${shown(parked)})`);
  if (facts.page === undefined) return sentence(`no page could be fetched${because(unknown.page)}`);
  if (!hasPage(facts)) return `The host returns an error (${facts.page.status}).`;
  if (unknown.screenshot !== undefined)
    return sentence(`no screenshot could be taken${because(unknown.screenshot)}`);
  return disabled === undefined ? "A screenshot is queued." : sentence(disabled);
}

function because(reason: string | undefined): string {
  return reason === undefined ? "" : `: ${shown(reason)}`;
}

/** Escapes a reason, as it may quote text that others wrote. */
function shown(text: string): string {
  return visible(text, reasonCharactersMax);
}

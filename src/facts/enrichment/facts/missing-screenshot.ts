import { toIsoTime } from "../../../platform/lib/clock.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import { sentence } from "../../../platform/lib/wording.ts";
import { hasPage, parkedWith, type Facts } from "./facts.ts";

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

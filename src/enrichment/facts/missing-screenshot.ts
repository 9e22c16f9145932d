import { visible } from "../../lib/safe-text.ts";
import { sentence } from "../../lib/wording.ts";
import { hasPage, parkedWith, type Facts } from "./facts.ts";

const reasonCharactersMax = 60;

/**
 * Why there is no picture of a threat's page, for people.
 *
 * @param never why pages are not captured at all; undefined: they are
 */
export function whyNoCapture(facts: Facts | undefined, never: string | undefined): string {
  if (never !== undefined) return sentence(never);
  if (facts?.existence === undefined) return "The page has not been looked at yet.";
  const { existence, unknown } = facts;
  if (existence.exists === "no") return "The name is not in DNS.";
  if (existence.addresses.length === 0) return "No host stands behind this name.";
  const parked = parkedWith(facts);
  if (parked !== undefined) return sentence(`the name is parked (${shown(parked)})`);
  if (facts.page === undefined) return sentence(`no page answers${because(unknown.page)}`);
  if (!hasPage(facts)) return `The host answers with an error (${facts.page.status}).`;
  if (unknown.screenshot !== undefined)
    return sentence(`the page could not be captured${because(unknown.screenshot)}`);
  return "The page waits for its turn to be captured.";
}

function because(reason: string | undefined): string {
  return reason === undefined ? "" : `: ${shown(reason)}`;
}

/** Reasons hold names and texts that others wrote. */
function shown(text: string): string {
  return visible(text, reasonCharactersMax);
}

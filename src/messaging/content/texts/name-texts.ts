import type { NameComparison, NamePart } from "../../../engines/detection/match/compare-names.ts";
import { displayName } from "../../../engines/detection/names/name.ts";
import { cut } from "../cut.ts";
import { defangName } from "../defang.ts";

const differencesMax = 4;
const stretchLengthMax = 40;

/** Returns the defanged name as people see it, unless that would be deceptive, and its A-label form if that differs. */
export function shownName(domain: string): string {
  const displayed = displayName(domain);
  return displayed === domain ? defangName(domain) : `${defangName(displayed)} (${defangName(domain)})`;
}

/** Returns the defanged name as people see it, unless that would be deceptive. */
export function looksLike(domain: string): string {
  return defangName(displayName(domain));
}

/**
 * Lists the differences from the protected name or keyword: `"1" in place of "l", adds "-login"`. Empty if there are
 * none to be named.
 */
export function describeDifferences({ parts }: NameComparison): string {
  const differences = parts.filter(({ kind }) => kind !== "same").map(describePart);
  const shown = differences.slice(0, differencesMax);
  const left = differences.length - shown.length;
  return left > 0 ? `${shown.join(", ")} and ${left} more` : shown.join(", ");
}

function describePart({ kind, found, expected, characters }: NamePart): string {
  if (kind === "added") return `adds ${quoted(found)}`;
  if (kind === "missing") return `omits ${quoted(expected)}`;
  const foreign = characters.filter(({ shown }) => shown > "\x7f" || shown.startsWith("\\"));
  const what = foreign.map(({ codePoint, description }) => `${codePoint}, ${description}`).join("; ");
  return `${quoted(found)}${what === "" ? "" : ` (${what})`} in place of ${quoted(expected)}`;
}

function quoted(stretch: string): string {
  return `"${cut(defangName(stretch), stretchLengthMax)}"`;
}

/** Warnings for the operator about brand words that are not searched for everywhere. */
import { popularNamesWith } from "../data/lexicon.ts";
import { splitProtected } from "../names/suffix.ts";
import type { ProtectedName } from "../types.ts";
import { brandWordsOf, type BrandWord, type Strictness } from "./brand-words.ts";

export interface WordWarning {
  domain: string;
  word: string;
  /** `unused`: too short to be searched for at all. */
  strictness: Exclude<Strictness, "plain"> | "unused";
  /** Why: its length, or the English words and popular names that it is or is part of. */
  reason: string;
  /** Places in which the word still counts. */
  effect: string;
  /** How to find more. Absent if another word of the domain is searched for everywhere. */
  advice?: string;
}

const popularShownMax = 3;

/** Returns warnings about the labels and keywords of a protected domain that are read more strictly than others. */
export function wordWarnings(
  protectedName: ProtectedName,
  words: readonly BrandWord[] = brandWordsOf(protectedName),
): WordWarning[] {
  const { domain } = protectedName;
  const own = words.filter(({ kind }) => kind === "label" || kind === "keyword");
  const covered = own.some(({ strictness }) => strictness === "plain");
  const warning = (word: string, { strictness, reason, effect }: Omit<WordWarning, "domain" | "word">) => {
    const base = { domain, word, strictness, reason: reason + popularNamesAround(word, domain), effect };
    return covered ? base : { ...base, advice };
  };
  const warnings = own.flatMap((word): WordWarning[] => {
    const { text, strictness, reason } = word;
    return strictness === "plain" ? [] : [warning(text, { strictness, reason, effect: effectOf(word) })];
  });
  const label = splitProtected(domain).registrableLabel;
  if (own.some(({ kind }) => kind === "label")) return warnings;
  if (words.some(({ kind, text }) => kind === "name" && text === domain)) {
    const reason = `"${domain}" is a public suffix`;
    const effect = "it counts only as a whole, without typos";
    return [warning(domain, { strictness: "careful", reason, effect }), ...warnings];
  }
  const reason = `"${label}" has only ${label.length} character`;
  return [warning(label, { strictness: "unused", reason, effect: "it is not searched for" }), ...warnings];
}

/** Returns the labels and keywords of a protected domain that are searched for everywhere in a name, folded. */
export function wordsFoundAnywhere(protectedName: ProtectedName): string[] {
  return brandWordsOf(protectedName)
    .filter(({ kind, strictness }) => (kind === "label" || kind === "keyword") && strictness === "plain")
    .map(({ text }) => text);
}

/** Returns the warning as one line. */
export function describeWarning({ reason, effect, advice }: WordWarning): string {
  return [reason, effect, ...(advice === undefined ? [] : [advice])].join("; ");
}

/** Describes what the rules in `score/` do with the word. */
function effectOf({ strictness, length }: BrandWord): string {
  const beside = 'beside words such as "login"';
  if (strictness === "careful") {
    const letters = length >= 6 ? "with other letters on both sides" : "with other letters beside it";
    return `it counts set apart or ${beside}, not ${letters}`;
  }
  if (strictness === "generic") return "it counts only as the whole registered label";
  if (length <= 2) return "it counts only as a whole label";
  const typos = length <= 3 ? "never with a typo" : "with a typo only as a whole label under the same suffix";
  return `it counts as a whole label or ${beside}, ${typos}`;
}

/** Without an example: the longer names of a brand do not follow from its label. */
const advice = "to find more, add longer names under which the brand is known as keywords";

/** Returns the popular names that contain the word, because those are never reported. */
function popularNamesAround(word: string, domain: string): string {
  if (word.length < 2) return "";
  const names = popularNamesWith(word).filter((name) => name !== splitProtected(domain).registrableDomain);
  if (names.length === 0) return "";
  const more = names.length > popularShownMax ? " and others" : "";
  return ` and part of popular names (${names.slice(0, popularShownMax).join(", ")}${more}), which are never reported`;
}

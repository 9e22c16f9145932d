/** What to tell whoever writes the configuration about brand words that are not looked for everywhere. */
import { brandWordsOf, type BrandWord } from "./brand-words.ts";
import { popularNamesWith } from "../data/lexicon.ts";
import { splitName } from "../names/suffix.ts";
import type { ProtectedName } from "../types.ts";

export interface WordRemark {
  domain: string;
  word: string;
  /** `unused`: too short to be looked for at all. */
  strictness: "careful" | "strict" | "unused";
  /** Why: its length, the English words and the popular names that it is or stands in. */
  reason: string;
  /** Where it still counts. */
  effect: string;
  /** What would find more; absent where another word of the domain is looked for everywhere. */
  advice?: string;
}

const popularShownMax = 3;

/** Remarks on the labels and keywords of a protected name that are read more strictly than others. */
export function remarksOn(
  protectedName: ProtectedName,
  words: readonly BrandWord[] = brandWordsOf(protectedName),
): WordRemark[] {
  const { domain } = protectedName;
  const own = words.filter(({ kind }) => kind === "label" || kind === "keyword");
  const covered = own.some(({ strictness }) => strictness === "plain");
  const remark = (word: string, { strictness, reason, effect }: Omit<WordRemark, "domain" | "word">) => {
    const said = { domain, word, strictness, reason: reason + besidePopular(word, domain), effect };
    return covered ? said : { ...said, advice: adviceFor(word) };
  };
  const remarks = own.flatMap((word): WordRemark[] => {
    const { text, strictness, reason } = word;
    return strictness === "plain" ? [] : [remark(text, { strictness, reason, effect: effectOf(word) })];
  });
  const label = splitName(domain).registrableLabel;
  if (own.some(({ kind }) => kind === "label")) return remarks;
  const reason = `"${label}" has only ${label.length} character`;
  return [remark(label, { strictness: "unused", reason, effect: "it is not looked for" }), ...remarks];
}

/** As one line. */
export function describeRemark({ reason, effect, advice }: WordRemark): string {
  return [reason, effect, ...(advice === undefined ? [] : [advice])].join("; ");
}

/** Says what `acceptance.ts` does. */
function effectOf({ strictness, length }: BrandWord): string {
  const beside = 'beside words such as "login"';
  if (strictness === "careful") {
    const letters = length >= 6 ? "with other letters on both sides" : "with other letters beside it";
    return `it counts where it stands apart or ${beside}, not ${letters}`;
  }
  if (length <= 2) return "it counts only as a whole label";
  const typos = length <= 3 ? "never with a typo" : "with a typo only as a whole label under the same suffix";
  return `it counts as a whole label or ${beside}, ${typos}`;
}

function adviceFor(word: string): string {
  return `longer names that it goes by find more when given as keywords, such as "${word}bank" for a bank`;
}

/** Popular names are never reported, whatever they hold. */
function besidePopular(word: string, domain: string): string {
  if (word.length < 2) return "";
  const names = popularNamesWith(word).filter((name) => name !== splitName(domain).registrableDomain);
  if (names.length === 0) return "";
  const more = names.length > popularShownMax ? " and others" : "";
  return ` and part of popular names (${names.slice(0, popularShownMax).join(", ")}${more}), which are never reported`;
}

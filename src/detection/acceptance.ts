/**
 * Which readings of a name as a brand count at all. The more letters a brand has and the odder they are, the
 * more may be wrong with it and the less has to stand around it.
 */
import type { Alignment } from "./alignment.ts";
import type { BrandWord } from "./brand-words.ts";
import type { Context, Edge } from "./context.ts";
import type { Host } from "./host.ts";
import { isMadeOfWords, isPopularLabel, isWord } from "./lexicon.ts";

/** Steps of an alignment that change letters. */
export function countTypos(alignment: Alignment): number {
  return alignment.edits.filter((edit) => edit.kind !== "separator" && edit.kind !== "confusable").length;
}

/** Steps that the filter of `scanner.ts` has to bridge: typos, and two letters that look like one. */
export function countErrors(alignment: Alignment): number {
  return alignment.edits.filter((edit) => {
    if (edit.kind === "confusable") return edit.found.length !== 1 || edit.expected.length !== 1;
    return edit.kind !== "separator";
  }).length;
}

export function accepts(
  word: BrandWord,
  alignment: Alignment,
  context: Context,
  found: string,
  host: Host,
  sameSuffix: boolean,
): boolean {
  const typos = countTypos(alignment);
  const anchored = isAnchored(alignment, context, found);
  if (countErrors(alignment) > (anchored ? word.errorsAnchored : word.errorsAnywhere)) return false;
  if (word.length < partedLengthMin && !anchored) return false;
  if (context.insideWord) return false;
  return typos === 0
    ? acceptsExact(word, context, host)
    : acceptsTypos(word, alignment, context, found, anchored, sameSuffix);
}

/**
 * Between separators, or digits where the brand has none, and with no separator of its own moved: where the
 * filter looks with more tolerance.
 */
function isAnchored(alignment: Alignment, context: Context, found: string): boolean {
  if (!isBetween(context)) return false;
  if (
    alignment.edits.some((edit) => edit.kind === "separator" && edit.found.length !== edit.expected.length)
  ) {
    return false;
  }
  return (context.left === "separator" && context.right === "separator") || !/\d/.test(found);
}

function acceptsExact(word: BrandWord, context: Context, host: Host): boolean {
  if (context.wholeLabel) return true;
  const between = isBetween(context);
  switch (word.strictness) {
    case "plain":
      return true;
    case "careful":
      if (between || context.rest === "keywords") return true;
      return word.length >= 6 && (context.left !== "letter" || context.right !== "letter");
    case "strict":
      if (word.length <= 2) return false;
      if (context.rest === "keywords")
        return word.length >= 4 || between || context.before === "" || context.after === "";
      return between && (context.rest === "some_keywords" || !context.registrable || host.parts.hosted);
  }
}

function isBetween({ left, right }: Context): boolean {
  return isSeparated(left) && isSeparated(right);
}

export function isSeparated(edge: Edge): boolean {
  return edge === "separator" || edge === "digit";
}

function acceptsTypos(
  word: BrandWord,
  alignment: Alignment,
  context: Context,
  found: string,
  anchored: boolean,
  sameSuffix: boolean,
): boolean {
  const letters = found.replace(/[-.]/g, "");
  if (isWord(letters) || isPopularLabel(letters)) return false;
  if (word.strictness === "strict") return context.wholeLabel && context.registrable && sameSuffix;
  if (word.length < 6 && !context.wholeLabel && context.rest !== "keywords") return false;
  if (anchored) return countTypos(alignment) === 1 || !isMadeOfWords(letters);
  if (word.length < 8 && context.rest === "other") return false;
  if (isExplainedBy(isWord, alignment, context)) return false;
  if (context.rest === "keywords") return true;
  if (isLooseAtEdge(word, alignment, context)) return false;
  if (context.rest === "some_keywords") return true;
  return word.length >= ownWordsLengthMin || !isExplainedBy(isMadeOfWords, alignment, context);
}

/** In the middle of letters a typo at the end of the brand says nothing: one letter less fits as well. */
function isLooseAtEdge(word: BrandWord, alignment: Alignment, context: Context): boolean {
  if (word.length >= looseLengthMin) return false;
  const typos = alignment.edits.filter((edit) => edit.kind !== "separator" && edit.kind !== "confusable");
  const first = typos[0]!;
  const last = typos.at(-1)!;
  return (
    (!isSeparated(context.left) && first.position === alignment.start) ||
    (!isSeparated(context.right) && last.position + last.found.length === alignment.end)
  );
}

/** Whether common words on and around the brand's place explain its letters: `telegraph` is no telegram. */
function isExplainedBy(known: (text: string) => boolean, alignment: Alignment, context: Context): boolean {
  const start = alignment.start - context.tokenStart;
  const end = alignment.end - context.tokenStart;
  for (let from = Math.max(0, start - wordMargin); from <= start + 1; from++) {
    for (let to = end - 1; to <= Math.min(context.token.length, end + wordMargin); to++) {
      if (known(context.token.slice(from, to))) return true;
    }
  }
  return false;
}

/** Shorter brands are not looked for with separators in them. */
const partedLengthMin = 3;
const looseLengthMin = 10;
/** Long brands are often made of common words themselves: walletconnect. */
const ownWordsLengthMin = 12;
const wordMargin = 5;

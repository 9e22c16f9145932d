/**
 * Which readings of a name as a brand count at all. The more letters a brand has and the odder they are, the
 * more may be wrong with it and the less has to stand around it.
 */
import type { Alignment, Edit } from "./alignment.ts";
import { standsAtEdge, type BrandWord } from "./brand-words.ts";
import type { Context, Edge } from "./context.ts";
import type { Host } from "./host.ts";
import { areAlike } from "./likeness.ts";
import { homophonesOf } from "./homophones.ts";
import { isKeyword, isMadeOfWords, isPopularLabel, isTwoWords, isWord } from "./lexicon.ts";

/** Steps of an alignment that change letters. */
function typosOf(alignment: Alignment): Edit[] {
  return alignment.edits.filter((edit) => edit.kind !== "separator" && edit.kind !== "confusable");
}

/** Typos and look-alikes. */
function countSteps({ edits }: Alignment): number {
  return edits.filter(({ kind }) => kind !== "separator").length;
}

export function countTypos(alignment: Alignment): number {
  return typosOf(alignment).length;
}

/** Steps that the filter of `filter.ts` has to bridge: typos, and two letters that look like one. */
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
  if (context.insideWord || isChance(word, alignment, context)) return false;
  return typos === 0
    ? acceptsExact(word, context, host)
    : acceptsTypos(word, alignment, context, found, anchored, sameSuffix) && !soundsLikeWord(word, found);
}

/**
 * Between separators, or digits where the brand has none, and with no separator of its own moved: where the
 * filter looks with more tolerance.
 */
function isAnchored(alignment: Alignment, context: Context, found: string): boolean {
  if (!context.between) return false;
  if (
    alignment.edits.some((edit) => edit.kind === "separator" && edit.found.length !== edit.expected.length)
  ) {
    return false;
  }
  return (context.left === "separator" && context.right === "separator") || !/\d/.test(found);
}

/**
 * Whether so few of the brand's characters stand there as themselves that any text might look like it: 801 is no
 * sign of bol. Of brands of three letters one look-alike is chance too, but in a label of its own or beside words
 * that go with a brand.
 */
function isChance(word: BrandWord, alignment: Alignment, context: Context): boolean {
  const changed = alignment.edits.filter(({ kind }) => kind !== "separator");
  const kept = word.length - changed.reduce((sum, { expected }) => sum + expected.length, 0);
  if (2 * kept < word.length) return true;
  return word.length <= 3 && changed.length > 0 && !context.wholeLabel && !isBesideKeywords(context);
}

/** With nothing in its label but words that go with a brand, countries and the like not counted. */
function isBesideKeywords({ onlyKeywords, keywords }: Context): boolean {
  return onlyKeywords && keywords.some((keyword) => keyword.length >= tellingKeywordMin);
}

function acceptsExact(word: BrandWord, context: Context, host: Host): boolean {
  if (context.wholeLabel) return true;
  switch (word.strictness) {
    case "plain":
      return true;
    case "careful":
      if (standsApart(context) || context.onlyKeywords) return true;
      return word.length >= 6 && (context.left !== "letter" || context.right !== "letter");
    case "strict":
      if (word.length <= 2) return false;
      if (standsAtEdge(word) && !context.atEdge) return false;
      if (context.onlyKeywords)
        return word.length >= 4 || context.between || context.before === "" || context.after === "";
      return (
        standsApart(context) &&
        (context.rest === "some_keywords" || !context.registrable || host.parts.hosted)
      );
  }
}

/** Between separators or words that go with a brand. */
function standsApart({ left, right }: Context): boolean {
  return left !== "letter" && right !== "letter";
}

function isSeparated(edge: Edge): boolean {
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
  const ownWords = word.length >= ownWordsLengthMin;
  if (isWord(letters) || isKeyword(letters) || isPopularLabel(letters)) return false;
  const exposed = context.wholeLabel && context.registrable && sameSuffix;
  if (word.strictness === "strict") return exposed;
  if (word.length < 5 && !exposed && !isBesideKeywords(context)) {
    // Four letters less one are three: those say nothing.
    if (!context.wholeLabel || typosOf(alignment).some(({ expected }) => expected !== "")) return false;
  }
  if (word.length < 6 && !context.wholeLabel && !context.onlyKeywords) return false;
  if (isTornFromWords(found, context)) return false;
  if (!tellsFromOthers(word, alignment, found)) return false;
  if (startsOtherwise(word, alignment) && countTypos(alignment) > 1) return false;
  if (context.between) {
    if (isAnagram(letters, word)) return true;
    if (!ownWords && countSteps(alignment) > 1 && (isMadeOfWords(letters) || isTwoWords(letters)))
      return false;
  }
  if (anchored) return true;
  if (word.length < 8 && context.rest === "other") return false;
  if (isExplainedBy(isWord, alignment, context)) return false;
  if (!context.onlyKeywords && isLooseAtEdge(word, alignment, context)) return false;
  if (ownWords) return true;
  return context.rest === "other"
    ? !isExplainedBy(isMadeOfWords, alignment, context)
    : !isCutOutOfWords(alignment, context);
}

/**
 * Whether the typos leave enough of the part that tells the brand from others of its trade: rakbank and sberbank
 * are as far from rabobank and swedbank as two typos, but of four letters.
 */
function tellsFromOthers(word: BrandWord, alignment: Alignment, found: string): boolean {
  if (word.trade === "" || !found.includes(word.trade) || countTypos(alignment) === 1) return true;
  return word.length - word.trade.length > untellingLengthMax;
}

/** The same letters in another order come about by intention, whatever words they make: matemask is metamask. */
function isAnagram(letters: string, { text }: BrandWord): boolean {
  const sorted = (from: string): string => Array.from(from.replaceAll("-", "")).sort().join("");
  return sorted(letters) === sorted(text);
}

/** Whether the first letter is another one, and none that is taken for the brand's. */
function startsOtherwise(word: BrandWord, alignment: Alignment): boolean {
  const [first] = typosOf(alignment);
  if (first === undefined || first.position !== alignment.start || first.kind === "transposition")
    return false;
  if (!word.text.startsWith(first.expected)) return false;
  return first.expected === "" || !areAlike(first.found.charCodeAt(0), first.expected.charCodeAt(0));
}

/** Whether it is a word as another language spells it: a telegraf is a telegraph, no telegram. */
function soundsLikeWord(word: BrandWord, found: string): boolean {
  const letters = found.replace(/[-.]/g, "");
  return letters.length > 6 && homophonesOf(letters).some((sound) => sound !== word.text && isWord(sound));
}

/** In the middle of letters a typo at the end of the brand says nothing: one letter less fits as well. */
function isLooseAtEdge(word: BrandWord, alignment: Alignment, context: Context): boolean {
  if (word.length >= looseLengthMin) return false;
  const typos = typosOf(alignment);
  const first = typos[0]!;
  const last = typos.at(-1)!;
  return (
    (!isSeparated(context.left) && first.position === alignment.start) ||
    (!isSeparated(context.right) && last.position + last.found.length === alignment.end)
  );
}

/** Whether common words on and around the brand's place explain its letters: `telegraph` is no telegram. */
function isExplainedBy(known: (text: string) => boolean, alignment: Alignment, context: Context): boolean {
  return stretchesAround(alignment, context).some(({ text }) => known(text));
}

/** Whether the place takes in a hyphen and only a part of a word beside it: a bike-discount is no cdiscount. */
function isTornFromWords(found: string, { before, after, left, right }: Context): boolean {
  const [first, last] = [found.indexOf("-"), found.lastIndexOf("-")];
  if (first < 0) return false;
  const lead = left === "separator" ? "" : before.slice(before.lastIndexOf("-") + 1);
  const tail = right === "separator" ? "" : after.split("-", 1)[0]!;
  return (
    (lead !== "" && isWord(lead + found.slice(0, first))) ||
    (tail !== "" && isWord(found.slice(last + 1) + tail))
  );
}

/** Whether one of them goes over the place's edge: `openheart` is no opensea, `coinbass-pro` may be coinbase. */
function isCutOutOfWords(alignment: Alignment, context: Context): boolean {
  return stretchesAround(alignment, context).some(({ text, before, after }) => {
    const sides = [before, after].filter((side) => side !== "");
    const areOwn = sides.every(
      (side) => side.length >= tellingKeywordMin && (isKeyword(side) || isMadeOfWords(side)),
    );
    return !areOwn && (isMadeOfWords(text) || isTwoWords(text));
  });
}

/** The brand's place, a letter less or some more on each side; `before` and `after` are what is more. */
function stretchesAround(
  alignment: Alignment,
  { token, tokenStart }: Context,
): { text: string; before: string; after: string }[] {
  const start = alignment.start - tokenStart;
  const end = alignment.end - tokenStart;
  const stretches = [];
  for (let from = Math.max(0, start - wordMargin); from <= start + 1; from++) {
    for (let to = end - 1; to <= Math.min(token.length, end + wordMargin); to++) {
      const [before, after] = [token.slice(from, start), token.slice(end, to)];
      stretches.push({ text: token.slice(from, to), before, after });
    }
  }
  return stretches;
}

/** Shorter brands are not looked for with separators in them. */
const partedLengthMin = 3;
const looseLengthMin = 8;
/** Shorter keywords are mostly countries. */
const tellingKeywordMin = 3;
/** Of a brand without its trade. */
const untellingLengthMax = 5;
/** Long brands are often made of common words themselves: walletconnect. */
const ownWordsLengthMin = 12;
const wordMargin = 5;

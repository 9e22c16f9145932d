/**
 * Rules for readings in which letters are changed, by their place. A longer brand in a more prominent place may contain
 * more errors. A near miss that ordinary words explain is not a typo of the brand.
 */
import type { Edit } from "../alignment/alignment.ts";
import { isMadeOfWords, isTwoWords, isWord, isKeyword } from "../data/lexicon.ts";
import { isSeparated } from "./brand-context.ts";
import { isAmidLetters, isAnybodysLabel, type Reading } from "./reading.ts";
import { rulesFor } from "./rule.ts";

/** Minimum length of a brand in which a typo counts in a label without keywords. */
const besideUnknownLengthMin = 8;
/** Minimum length of a brand in which a typo counts at an end where letters continue. */
const looseEndLengthMin = 8;
/** Minimum length of a brand that is often made of common words itself, such as walletconnect. */
const ownWordsLengthMin = 12;
/** Number of bits by which the brand must explain a text better than words do, so that no word is considered. */
const clearLeadBits = 1.9;

export const typoRules = rulesFor(
  ["typos"],
  [
    {
      name: "anagram",
      verdict: "keep",
      why: "The same letters in another order are deliberate, even if they make words.",
      keeps: [["metamask.io", "matemask.net"]],
      drops: [["metamask.io", "metabase.net"]],
      words: ({ kind }) => kind !== "name",
      test: ({ context, alignment }) => context.between && isAnagram(alignment.edits),
    },
    {
      name: "made_of_words",
      words: ({ length }) => length < ownWordsLengthMin,
      verdict: "drop",
      slow: true,
      why: "With two or more differences, letters that form words mean those words.",
      keeps: [["metamask.io", "metamassk.net"]],
      drops: [["metamask.io", "metabase.net"]],
      test: ({ letters, context, alignment }) =>
        context.between &&
        countDifferences(alignment.edits) > 1 &&
        (isMadeOfWords(letters) || isTwoWords(letters)),
    },
    {
      name: "typo_set_apart",
      verdict: "keep",
      why: "A near miss between separators is written as a name, as the brand is.",
      keeps: [["paypal.com", "paypaal-qx.net"]],
      drops: [["paypal.com", "qxpaypaalqx.net"]],
      test: ({ anchored }) => anchored,
    },
    {
      name: "typo_amid_unknown_letters",
      words: ({ length }) => length <= besideUnknownLengthMin,
      verdict: "drop",
      why: "In a label without keywords, seven letters with a typo occur by chance, and amid letters eight.",
      keeps: [["coinbase.com", "coinbaesqx.net"]],
      drops: [
        ["netflix.com", "netflyxqx.net"],
        ["metamask.io", "imetamiskliinik.net"],
      ],
      test: (reading) =>
        reading.context.rest === "other" &&
        (reading.word.length < besideUnknownLengthMin || isAmidLetters(reading)),
    },
    {
      name: "explained_by_word",
      verdict: "drop",
      slow: true,
      why: "A word that covers the stretch explains it: notify is not spotify.",
      keeps: [["ethereum.org", "ethereufees.net"]],
      drops: [["spotify.com", "accountsnotify.net"]],
      test: (reading) => isExplainedBy(isWord, reading),
    },
    {
      name: "typo_at_open_end",
      verdict: "drop",
      why: "Where letters continue, a typo at the end of the brand means nothing: the rest of the brand fits as well.",
      keeps: [["netflix.com", "netflyxone-168.net"]],
      drops: [
        ["netflix.com", "betflixone-168.net"],
        ["mastercard.com", "golfmastercarts.net"],
      ],
      test: (reading) => !reading.context.onlyKeywords && hasTypoAtOpenEnd(reading),
    },
    {
      name: "typo_of_long_word",
      words: ({ length }) => length >= ownWordsLengthMin,
      verdict: "keep",
      why: "A brand of twelve letters is recognizable with typos, even if words explain parts of it.",
      keeps: [["walletconnect.com", "walletsconnectaid.net"]],
      drops: [["opensea.io", "openhearts.net"]],
      test: () => true,
    },
    {
      name: "explained_by_words",
      verdict: "drop",
      slow: true,
      why: "In a label without keywords, several words in a row that cover the stretch explain it.",
      keeps: [["coinbase.com", "coinabaseqx.net"]],
      drops: [["facebook.com", "placebooks.net"]],
      test: (reading) => reading.context.rest === "other" && isExplainedBy(isMadeOfWords, reading),
    },
    {
      name: "cut_out_of_words",
      verdict: "drop",
      slow: true,
      why: "Words that extend over the edge of the stretch explain it: openteam is not opensea.",
      keeps: [["metamask.io", "metamaksio.net"]],
      drops: [["opensea.io", "openteam.website"]],
      test: (reading) => reading.context.rest !== "other" && areCutOutOfWords(otherStretches(reading)),
    },
    {
      name: "unexplained_typo",
      verdict: "keep",
      why: "A near miss of a long brand that no word explains means the brand.",
      keeps: [["telegram.org", "stelegrem.net"]],
      drops: [["paypal.com", "qxpaypaalqx.net"]],
      test: () => true,
    },
  ],
);

function countDifferences(edits: readonly Edit[]): number {
  return edits.filter(({ kind }) => kind !== "separator").length;
}

function isAnagram(edits: readonly Edit[]): boolean {
  let [found, expected] = ["", ""];
  for (const edit of edits) {
    if (edit.kind === "separator") continue;
    found += edit.found;
    expected += edit.expected;
  }
  const sorted = (letters: string): string => Array.from(letters).sort().join("");
  return found.length === expected.length && sorted(found) === sorted(expected);
}

function hasTypoAtOpenEnd(reading: Reading): boolean {
  const { word, typos, alignment, context } = reading;
  const first = typos[0]!;
  const isOpen = context.left === "letter" && context.rest === "other" && !isAnybodysLabel(reading);
  if (isOpen && first.position === alignment.start && first.kind === "omission") return true;
  if (word.length >= (isAmidLetters(reading) ? ownWordsLengthMin : looseEndLengthMin)) return false;
  const last = typos.at(-1)!;
  return (
    (!isSeparated(context.left) && first.position === alignment.start) ||
    (!isSeparated(context.right) && last.position + last.found.length === alignment.end)
  );
}

function isExplainedBy(isKnown: (text: string) => boolean, reading: Reading): boolean {
  return otherStretches(reading).some(({ text }) => isKnown(text));
}

/** Returns the stretches around the brand's place, or none if the brand explains the text clearly better than words do. */
function otherStretches(reading: Reading): Stretch[] {
  const { alignment, context } = reading;
  const { token, tokenStart } = context;
  if (-reading.bitsAgainst >= clearLeadBits) return [];
  return stretchesAround(token, alignment.start - tokenStart, alignment.end - tokenStart);
}

/** Stretches of a token in which a word may explain the letters that read as the brand. */

/** Maximum number of letters on each side that belong to a word which explains the stretch. */
const wordMargin = 5;

interface Stretch {
  text: string;
  /** Letters before and after the brand's place. */
  before: string;
  after: string;
}

/** Returns the brand's place in its token, shortened by one letter or extended by up to `wordMargin` on each side. */
function stretchesAround(token: string, start: number, end: number): Stretch[] {
  const stretches: Stretch[] = [];
  for (let from = Math.max(0, start - wordMargin); from <= start + 1; from++) {
    for (let to = end - 1; to <= Math.min(token.length, end + wordMargin); to++) {
      const [before, after] = [token.slice(from, start), token.slice(end, to)];
      stretches.push({ text: token.slice(from, to), before, after });
    }
  }
  return stretches;
}

/** Minimum length of a word next to the brand. */
const neighborLengthMin = 3;

/** Whether words cover a stretch that extend over the edges of the brand, other than whole words next to it. */
function areCutOutOfWords(stretches: readonly Stretch[]): boolean {
  return stretches.some(({ text, before, after }) => {
    const sides = [before, after].filter((side) => side !== "");
    const areWholeWords = sides.every(
      (side) => side.length >= neighborLengthMin && (isKeyword(side) || isMadeOfWords(side)),
    );
    return !areWholeWords && (isMadeOfWords(text) || isTwoWords(text));
  });
}

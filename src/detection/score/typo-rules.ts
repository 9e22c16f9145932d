/**
 * Rules for readings in which letters are changed. A longer brand in a more prominent place may contain more
 * errors. A near miss that ordinary words explain is not a typo of the brand.
 */
import type { BrandWord } from "../brand/brand-words.ts";
import { isKeyword, isMadeOfWords, isPopularLabel, isTwoWords, isWord } from "../data/lexicon.ts";
import { soundsLike } from "../letters/homophones.ts";
import { areSimilar } from "../letters/similar-characters.ts";
import { meanLetterBits } from "../segmentation/letter-model.ts";
import { areCutOutOfWords, stretchesAround, type Stretch } from "../segmentation/stretches.ts";
import type { Edit } from "./alignment.ts";
import { isSeparated } from "./brand-context.ts";
import { isAmidLetters, isAnybodysLabel, type Reading } from "./reading.ts";
import type { Rule } from "./rule.ts";

/** Minimum length of a brand in which a typo counts anywhere in its label. */
const typoLengthMin = 5;
/** Minimum length of a brand in which a typo counts beside letters that are not keywords. */
const besideLettersLengthMin = 6;
/** Minimum length of a brand in which a typo counts in a label without keywords. */
const besideUnknownLengthMin = 8;
/** Minimum length of a brand in which a typo counts at an end where letters continue. */
const looseEndLengthMin = 8;
/** Maximum length of the distinctive part of a brand that two typos make unrecognizable. */
const untellingLengthMax = 5;
/** Minimum length of a brand that is often made of common words itself, such as walletconnect. */
const ownWordsLengthMin = 12;
/** Number of bits by which the brand must explain a text better than words do, so that no word is considered. */
const clearLeadBits = 1.9;
/** Minimum length of a stretch that can be a foreign spelling of a word. */
const foreignWordLengthMin = 7;

const readings = ["typos"] as const;

export const typoRules: readonly Rule[] = [
  {
    name: "another_word",
    readings,
    verdict: "drop",
    why: "A near miss that is a word, a keyword or a popular name means that one.",
    keeps: [["binance.com", "bimance.com"]],
    drops: [["binance.com", "finance.com"]],
    test: ({ letters }) => isWord(letters) || isKeyword(letters) || isPopularLabel(letters),
  },
  {
    name: "typo_of_common_word",
    readings,
    words: ({ strictness }) => strictness === "strict" || strictness === "generic",
    verdict: "drop",
    why: "A common word with a typo is usually another word, so it counts only as the whole name.",
    keeps: [["chase.com", "chasse.com"]],
    drops: [["chase.com", "chasse.net"]],
    test: ({ exposed }) => !exposed,
  },
  {
    name: "typo_of_short_word",
    readings,
    words: ({ length }) => length < typoLengthMin,
    verdict: "drop",
    why: "Too many words are one letter away from a brand of four letters. Beside keywords, added letters count.",
    keeps: [["aldi.de", "aldii.net"]],
    drops: [
      ["aldi.de", "audi.cn"],
      ["aldi.de", "adi.net"],
    ],
    test: ({ exposed, context, typos }) =>
      !exposed &&
      !(context.besideKeywords && typos.every(isAddedOrMoved)) &&
      (!context.wholeLabel || typos.some(({ expected }) => expected !== "")),
  },
  {
    name: "typo_and_look_alike",
    readings,
    words: ({ length }) => length < besideUnknownLengthMin,
    verdict: "drop",
    why: "With a letter missing and a look-alike, too little is left of up to seven letters: pa1y is not paidy.",
    keeps: [["paypal.com", "paypa1l.net"]],
    drops: [
      ["paidy.com", "pa1y.net"],
      ["paypal.com", "papai.net"],
    ],
    test: ({ word, typos, alignment }) =>
      alignment.edits.some(({ kind }) => kind === "confusable") &&
      (word.length < besideLettersLengthMin || !typos.every(isAddedOrMoved)),
  },
  {
    name: "another_short_name",
    readings,
    words: ({ length }) => length < besideLettersLengthMin,
    verdict: "drop",
    why: "A label that lacks a letter of a brand of five, and reads as well as the brand, is another name: monea.",
    keeps: [["fedex.com", "fegex.net"]],
    drops: [["monex.co.jp", "monea.net"]],
    test: isAnotherShortName,
  },
  {
    name: "typo_amid_short_label",
    readings,
    words: ({ length }) => length < besideLettersLengthMin,
    verdict: "drop",
    why: "A typo of a brand of five letters counts only as a whole label or beside nothing but keywords.",
    keeps: [["venmo.com", "vemno-login.net"]],
    drops: [["venmo.com", "vemno-qx.net"]],
    test: ({ context }) => !context.wholeLabel && !context.onlyKeywords,
  },
  {
    name: "only_trade_left",
    readings,
    words: ({ trade, length }) => trade !== "" && length - trade.length <= untellingLengthMax,
    verdict: "drop",
    why: "Two typos in the distinctive part leave only the generic one: sberbank is not swedbank.",
    keeps: [["swedbank.se", "svedbank.net"]],
    drops: [["swedbank.se", "sberbank.net"]],
    test: ({ word, found, typos }) => typos.length !== 1 && found.includes(word.trade),
  },
  {
    name: "another_first_letter",
    readings,
    verdict: "drop",
    why: "People notice the first letter: with a different one and a second typo, it is another word.",
    keeps: [["metamask.io", "netamaskk.net"]],
    drops: [["metamask.io", "betamaskk.net"]],
    test: ({ word, typos, alignment }) => typos.length > 1 && startsDifferently(word, alignment.start, typos),
  },
  {
    name: "foreign_spelling_of_word",
    readings,
    verdict: "drop",
    slow: true,
    why: "A near miss that sounds like a word is its spelling in another language: telegraf is telegraph.",
    keeps: [["telegram.org", "telegran.net"]],
    drops: [["telegram.org", "telegraf.net"]],
    test: ({ word, letters }) =>
      letters.length >= foreignWordLengthMin &&
      soundsLike(letters, (spelling) => spelling !== word.text && isWord(spelling)),
  },
  {
    name: "anagram",
    readings,
    verdict: "keep",
    why: "The same letters in another order are deliberate, even if they make words.",
    keeps: [["metamask.io", "matemask.net"]],
    drops: [["metamask.io", "metabase.net"]],
    words: ({ kind }) => kind !== "name",
    test: ({ context, alignment }) => context.between && isAnagram(alignment.edits),
  },
  {
    name: "made_of_words",
    readings,
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
    readings,
    verdict: "keep",
    why: "A near miss between separators is written as a name, as the brand is.",
    keeps: [["paypal.com", "paypaal-qx.net"]],
    drops: [["paypal.com", "qxpaypaalqx.net"]],
    test: ({ anchored }) => anchored,
  },
  {
    name: "typo_amid_unknown_letters",
    readings,
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
    readings,
    verdict: "drop",
    slow: true,
    why: "A word that covers the stretch explains it: notify is not spotify.",
    keeps: [["ethereum.org", "ethereufees.net"]],
    drops: [["spotify.com", "accountsnotify.net"]],
    test: (reading) => isExplainedBy(isWord, reading),
  },
  {
    name: "typo_at_open_end",
    readings,
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
    readings,
    words: ({ length }) => length >= ownWordsLengthMin,
    verdict: "keep",
    why: "A brand of twelve letters is recognizable with typos, even if words explain parts of it.",
    keeps: [["walletconnect.com", "walletsconnectaid.net"]],
    drops: [["opensea.io", "openhearts.net"]],
    test: () => true,
  },
  {
    name: "explained_by_words",
    readings,
    verdict: "drop",
    slow: true,
    why: "In a label without keywords, several words in a row that cover the stretch explain it.",
    keeps: [["coinbase.com", "coinabaseqx.net"]],
    drops: [["facebook.com", "placebooks.net"]],
    test: (reading) => reading.context.rest === "other" && isExplainedBy(isMadeOfWords, reading),
  },
  {
    name: "cut_out_of_words",
    readings,
    verdict: "drop",
    slow: true,
    why: "Words that extend over the edge of the stretch explain it: openteam is not opensea.",
    keeps: [["metamask.io", "metamaksio.net"]],
    drops: [["opensea.io", "openteam.website"]],
    test: (reading) => reading.context.rest !== "other" && areCutOutOfWords(otherStretches(reading)),
  },
  {
    name: "unexplained_typo",
    readings,
    verdict: "keep",
    why: "A near miss of a long brand that no word explains means the brand.",
    keeps: [["telegram.org", "stelegrem.net"]],
    drops: [["paypal.com", "qxpaypaalqx.net"]],
    test: () => true,
  },
];

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

function isAddedOrMoved({ kind }: Edit): boolean {
  return kind === "insertion" || kind === "repetition" || kind === "transposition";
}

function isAnotherShortName(reading: Reading): boolean {
  const { word, typos, context, exposed, letters } = reading;
  if (!context.wholeLabel || exposed || isAnybodysLabel(reading)) return false;
  if (typos.every(isAddedOrMoved)) return false;
  return meanLetterBits(letters) <= meanLetterBits(word.text);
}

/** Whether the first letter is omitted, or replaced by one that does not resemble it. */
function startsDifferently(word: BrandWord, start: number, [first]: readonly Edit[]): boolean {
  if (first === undefined || first.position !== start || first.kind === "transposition") return false;
  if (!word.text.startsWith(first.expected)) return false;
  return first.expected === "" || !areSimilar(first.found.charCodeAt(0), first.expected.charCodeAt(0));
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

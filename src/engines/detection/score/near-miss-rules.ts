/**
 * Rules that drop readings in which letters are changed, wherever they stand: what is another word, or too little of the
 * brand.
 */
import type { Edit } from "../alignment/alignment.ts";
import type { BrandWord } from "../brand/brand-words.ts";
import { isKeyword, isPopularLabel, isWord } from "../data/lexicon.ts";
import { soundsLike } from "../letters/homophones.ts";
import { areSimilar } from "../letters/similar-characters.ts";
import { meanLetterBits } from "../segmentation/letter-model.ts";
import { isAnybodysLabel, type Reading } from "./reading.ts";
import { rulesFor } from "./rule.ts";

/** Minimum length of a brand in which a typo counts anywhere in its label. */
const typoLengthMin = 5;
/** Minimum length of a brand in which a typo counts beside letters that are not keywords. */
const besideLettersLengthMin = 6;
/** Minimum length of a brand in which a typo counts beside a look-alike character. */
const besideLookAlikeLengthMin = 8;
/** Maximum length of the distinctive part of a brand that two typos make unrecognizable. */
const untellingLengthMax = 5;
/** Minimum length of a stretch that can be a foreign spelling of a word. */
const foreignWordLengthMin = 7;

export const nearMissRules = rulesFor(
  ["typos"],
  [
    {
      name: "another_word",
      verdict: "drop",
      why: "A near miss that is a word, a keyword or a popular name means that one.",
      keeps: [["binance.com", "bimance.com"]],
      drops: [["binance.com", "finance.com"]],
      test: ({ letters }) => isWord(letters) || isKeyword(letters) || isPopularLabel(letters),
    },
    {
      name: "typo_of_common_word",
      words: ({ strictness }) => strictness === "strict" || strictness === "generic",
      verdict: "drop",
      why: "A common word with a typo is usually another word, so it counts only as the whole name.",
      keeps: [["chase.com", "chasse.com"]],
      drops: [["chase.com", "chasse.net"]],
      test: ({ exposed }) => !exposed,
    },
    {
      name: "typo_of_short_word",
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
        !(context.besideKeywords && areAddedOrMoved(typos)) &&
        (!context.wholeLabel || typos.some(({ expected }) => expected !== "")),
    },
    {
      name: "typo_and_look_alike",
      words: ({ length }) => length < besideLookAlikeLengthMin,
      verdict: "drop",
      why: "With a letter missing and a look-alike, too little is left of up to seven letters: pa1y is not paidy.",
      keeps: [["paypal.com", "paypa1l.net"]],
      drops: [
        ["paidy.com", "pa1y.net"],
        ["paypal.com", "papai.net"],
      ],
      test: ({ word, typos, hasLookAlikes }) =>
        hasLookAlikes && (word.length < besideLettersLengthMin || !areAddedOrMoved(typos)),
    },
    {
      name: "another_short_name",
      words: ({ length }) => length < besideLettersLengthMin,
      verdict: "drop",
      why: "A label that lacks a letter of a brand of five, and reads as well as the brand, is another name: monea.",
      keeps: [["fedex.com", "fegex.net"]],
      drops: [["monex.co.jp", "monea.net"]],
      test: isAnotherShortName,
    },
    {
      name: "typo_amid_short_label",
      words: ({ length }) => length < besideLettersLengthMin,
      verdict: "drop",
      why: "A typo of a brand of five letters counts only as a whole label or beside nothing but keywords.",
      keeps: [["venmo.com", "vemno-login.net"]],
      drops: [["venmo.com", "vemno-qx.net"]],
      test: ({ context }) => !context.wholeLabel && !context.onlyKeywords,
    },
    {
      name: "only_trade_left",
      words: ({ trade, length }) => trade !== "" && length - trade.length <= untellingLengthMax,
      verdict: "drop",
      why: "Two typos in the distinctive part leave only the generic one: sberbank is not swedbank.",
      keeps: [["swedbank.se", "svedbank.net"]],
      drops: [["swedbank.se", "sberbank.net"]],
      test: ({ word, found, typos }) => typos.length !== 1 && found.includes(word.trade),
    },
    {
      name: "another_first_letter",
      verdict: "drop",
      why: "People notice the first letter: with a different one and a second typo, it is another word.",
      keeps: [["metamask.io", "netamaskk.net"]],
      drops: [["metamask.io", "betamaskk.net"]],
      test: ({ word, typos, alignment }) =>
        typos.length > 1 && startsDifferently(word, alignment.start, typos),
    },
    {
      name: "foreign_spelling_of_word",
      verdict: "drop",
      slow: true,
      why: "A near miss that sounds like a word is its spelling in another language: telegraf is telegraph.",
      keeps: [["telegram.org", "telegran.net"]],
      drops: [["telegram.org", "telegraf.net"]],
      test: ({ word, letters }) =>
        letters.length >= foreignWordLengthMin &&
        soundsLike(letters, (spelling) => spelling !== word.text && isWord(spelling)),
    },
  ],
);

function areAddedOrMoved(typos: readonly Edit[]): boolean {
  for (const { kind } of typos)
    if (kind !== "insertion" && kind !== "repetition" && kind !== "transposition") return false;
  return true;
}

function isAnotherShortName(reading: Reading): boolean {
  const { word, typos, context, exposed, letters } = reading;
  if (!context.wholeLabel || exposed || isAnybodysLabel(reading)) return false;
  if (areAddedOrMoved(typos)) return false;
  return meanLetterBits(letters) <= meanLetterBits(word.text);
}

/** Whether the first letter is omitted, or replaced by one that does not resemble it. */
function startsDifferently(word: BrandWord, start: number, [first]: readonly Edit[]): boolean {
  if (first === undefined || first.position !== start || first.kind === "transposition") return false;
  if (!word.text.startsWith(first.expected)) return false;
  return first.expected === "" || !areSimilar(first.found.charCodeAt(0), first.expected.charCodeAt(0));
}

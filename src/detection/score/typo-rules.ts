/**
 * Rules for readings in which letters are changed. The longer the brand and the clearer its place in the name,
 * the more may be wrong with it; what ordinary words explain is no typo of a brand.
 */
import type { Edit } from "./alignment.ts";
import type { BrandWord } from "../brand/brand-words.ts";
import type { Context, Edge } from "./brand-context.ts";
import { soundsLike } from "../letters/homophones.ts";
import { isKeyword, isMadeOfWords, isPopularLabel, isTwoWords, isWord } from "../data/lexicon.ts";
import { areAlike } from "../letters/likeness.ts";
import type { Reading } from "./reading.ts";
import { isBesideKeywords, tellingKeywordMin } from "./any-rules.ts";
import type { Rule } from "./rule.ts";

/** Minimum length of a brand in which a typo counts anywhere in its label. */
const typoLengthMin = 5;
/** Minimum length of a brand in which a typo counts beside letters that are no keywords. */
const besideLettersLengthMin = 6;
/** Minimum length of a brand in which a typo counts beside letters that mean nothing. */
const besideUnknownLengthMin = 8;
/** Minimum length of a brand in which a typo counts at its end while letters go on. */
const looseEndLengthMin = 8;
/** Maximum length of what remains of a brand without its trade and says too little after two typos. */
const untellingLengthMax = 5;
/** Minimum length of a brand that may itself be made of common words, such as walletconnect. */
const ownWordsLengthMin = 12;
/** Minimum length of a stretch that can be a foreign spelling of a word. */
const foreignWordLengthMin = 7;
/** Number of letters on each side that may belong to a word which explains the stretch. */
const wordMargin = 5;

const readings = ["typos"] as const;

export const typoRules: readonly Rule[] = [
  {
    name: "another_word",
    readings,
    verdict: "drop",
    why: "A near miss that is a word, a keyword or a popular name itself means that one.",
    keeps: [["binance.com", "bimance.com"]],
    drops: [["binance.com", "finance.com"]],
    test: ({ letters }) => isWord(letters) || isKeyword(letters) || isPopularLabel(letters),
  },
  {
    name: "typo_of_common_word",
    readings,
    verdict: "drop",
    why: "A common word with a typo is most often another word; it counts only as the whole name.",
    keeps: [["chase.com", "chasse.com"]],
    drops: [["chase.com", "chasse.net"]],
    test: ({ word, exposed }) => word.strictness === "strict" && !exposed,
  },
  {
    name: "typo_of_short_word",
    readings,
    verdict: "drop",
    why: "A brand of four letters has too many neighbors; one letter less leaves three that say nothing.",
    keeps: [["aldi.de", "aldii.net"]],
    drops: [
      ["aldi.de", "audi.cn"],
      ["aldi.de", "adl.net"],
    ],
    test: ({ word, exposed, context, typos }) =>
      word.length < typoLengthMin &&
      !exposed &&
      !isBesideKeywords(context) &&
      (!context.wholeLabel || typos.some(({ expected }) => expected !== "")),
  },
  {
    name: "typo_amid_short_label",
    readings,
    verdict: "drop",
    why: "A brand of five letters with a typo counts as a whole label or beside nothing but keywords.",
    keeps: [["venmo.com", "vemno-login.net"]],
    drops: [["venmo.com", "vemno-qx.net"]],
    test: ({ word, context }) =>
      word.length < besideLettersLengthMin && !context.wholeLabel && !context.onlyKeywords,
  },
  {
    name: "part_of_hyphenated_word",
    readings,
    verdict: "drop",
    why: "A stretch over a hyphen that cuts a word beside it in two is chance: a bike-discount is no cdiscount.",
    keeps: [["cdiscount.com", "c-discoount.net"]],
    drops: [["cdiscount.com", "bike-discount.net"]],
    test: cutsNeighbor,
  },
  {
    name: "only_trade_left",
    readings,
    verdict: "drop",
    why: "Two typos in what tells a bank from other banks leave only the trade: sberbank is not swedbank.",
    keeps: [["swedbank.se", "svedbank.net"]],
    drops: [["swedbank.se", "sberbank.net"]],
    test: ({ word, found, typos }) =>
      word.trade !== "" &&
      typos.length !== 1 &&
      found.includes(word.trade) &&
      word.length - word.trade.length <= untellingLengthMax,
  },
  {
    name: "another_first_letter",
    readings,
    verdict: "drop",
    why: "People notice the first letter: with another one and a second typo it is another word.",
    keeps: [["metamask.io", "netamaskk.net"]],
    drops: [["metamask.io", "betamaskk.net"]],
    test: ({ word, typos, alignment }) => typos.length > 1 && startsDifferently(word, alignment.start, typos),
  },
  {
    name: "foreign_spelling_of_word",
    readings,
    verdict: "drop",
    why: "What sounds like a word is that word in another language: a telegraf is a telegraph, not telegram.",
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
    why: "The same letters in another order are no accident, whatever words they make.",
    keeps: [["metamask.io", "matemask.net"]],
    drops: [["metamask.io", "metabase.net"]],
    test: ({ word, letters, context }) => context.between && isAnagram(letters, word),
  },
  {
    name: "made_of_words",
    readings,
    verdict: "drop",
    why: "With two differences or more, letters that are words of their own mean those words.",
    keeps: [["metamask.io", "metamassk.net"]],
    drops: [["metamask.io", "metabase.net"]],
    test: ({ word, letters, context, alignment }) =>
      context.between &&
      word.length < ownWordsLengthMin &&
      countDifferences(alignment.edits) > 1 &&
      (isMadeOfWords(letters) || isTwoWords(letters)),
  },
  {
    name: "typo_set_apart",
    readings,
    verdict: "keep",
    why: "A near miss between separators is written as a name of its own, as the brand is.",
    keeps: [["paypal.com", "paypaal-qx.net"]],
    drops: [["paypal.com", "qxpaypaalqx.net"]],
    test: ({ anchored }) => anchored,
  },
  {
    name: "typo_amid_unknown_letters",
    readings,
    verdict: "drop",
    why: "In a label that no keyword explains, seven letters with a typo come about by chance.",
    keeps: [["coinbase.com", "qxcoinbaesqx.net"]],
    drops: [["netflix.com", "qxnetflyxqx.net"]],
    test: ({ word, context }) => word.length < besideUnknownLengthMin && context.rest === "other",
  },
  {
    name: "explained_by_word",
    readings,
    verdict: "drop",
    why: "A word at the place of the brand, or reaching over it, explains the letters: telegraph is not telegram.",
    keeps: [["spotify.com", "365sp0tfyus.net"]],
    drops: [["spotify.com", "365notifyus.net"]],
    test: (reading) => isExplainedBy(isWord, reading),
  },
  {
    name: "typo_at_open_end",
    readings,
    verdict: "drop",
    why: "Where letters go on, a typo at the end of the brand says nothing: one letter less fits as well.",
    keeps: [["netflix.com", "netflyxone-168.net"]],
    drops: [["netflix.com", "betflixone-168.net"]],
    test: (reading) => !reading.context.onlyKeywords && hasTypoAtOpenEnd(reading),
  },
  {
    name: "typo_of_long_word",
    readings,
    verdict: "keep",
    why: "Twelve letters are a brand with typos, too, even if words can be cut out of them.",
    keeps: [["walletconnect.com", "walletsconnectaid.net"]],
    drops: [["opensea.io", "openhearts.net"]],
    test: ({ word }) => word.length >= ownWordsLengthMin,
  },
  {
    name: "explained_by_words",
    readings,
    verdict: "drop",
    why: "Several words in a row that take in the brand's place explain it in a label without keywords.",
    keeps: [["coinbase.com", "qxcoinbaesqx.net"]],
    drops: [
      ["facebook.com", "placebooks.net"],
      ["coinbase.com", "bitcoinbabel.net"],
    ],
    test: (reading) => reading.context.rest === "other" && isExplainedBy(isMadeOfWords, reading),
  },
  {
    name: "cut_out_of_words",
    readings,
    verdict: "drop",
    why: "Words that reach over the edge of the brand's place explain it: openheart is not opensea.",
    keeps: [["metamask.io", "metamaksio.net"]],
    drops: [["opensea.io", "openteam.website"]],
    test: (reading) => reading.context.rest !== "other" && isCutOutOfWords(reading),
  },
  {
    name: "unexplained_typo",
    readings,
    verdict: "keep",
    why: "A near miss of a long brand that nothing else explains means the brand.",
    keeps: [["telegram.org", "stelegrem.net"]],
    drops: [["paypal.com", "qxpaypaalqx.net"]],
    test: () => true,
  },
];

/** Number of typos and look-alikes. */
function countDifferences(edits: readonly Edit[]): number {
  return edits.filter(({ kind }) => kind !== "separator").length;
}

function isAnagram(letters: string, { text }: BrandWord): boolean {
  const sorted = (from: string): string => Array.from(from.replaceAll("-", "")).sort().join("");
  return sorted(letters) === sorted(text);
}

/** Whether the first letter is replaced by one that is not taken for it, or left out. */
function startsDifferently(word: BrandWord, start: number, [first]: readonly Edit[]): boolean {
  if (first === undefined || first.position !== start || first.kind === "transposition") return false;
  if (!word.text.startsWith(first.expected)) return false;
  return first.expected === "" || !areAlike(first.found.charCodeAt(0), first.expected.charCodeAt(0));
}

function isSeparated(edge: Edge): boolean {
  return edge === "separator" || edge === "digit";
}

function hasTypoAtOpenEnd({ word, typos, alignment, context }: Reading): boolean {
  if (word.length >= looseEndLengthMin) return false;
  const first = typos[0]!;
  const last = typos.at(-1)!;
  return (
    (!isSeparated(context.left) && first.position === alignment.start) ||
    (!isSeparated(context.right) && last.position + last.found.length === alignment.end)
  );
}

/** Whether the stretch takes in a hyphen and only a part of a word beside it. */
function cutsNeighbor({ found, context }: Reading): boolean {
  const { before, after, left, right } = context;
  const [first, last] = [found.indexOf("-"), found.lastIndexOf("-")];
  if (first < 0) return false;
  const lead = left === "separator" ? "" : before.slice(before.lastIndexOf("-") + 1);
  const tail = right === "separator" ? "" : after.split("-", 1)[0]!;
  return (
    (lead !== "" && isWord(lead + found.slice(0, first))) ||
    (tail !== "" && isWord(found.slice(last + 1) + tail))
  );
}

function isExplainedBy(isKnown: (text: string) => boolean, reading: Reading): boolean {
  return stretchesAround(reading).some(({ text }) => isKnown(text));
}

/** Whether words explain the stretch that reach over its edges, and are not whole words beside it. */
function isCutOutOfWords(reading: Reading): boolean {
  return stretchesAround(reading).some(({ text, before, after }) => {
    const sides = [before, after].filter((side) => side !== "");
    const areWholeWords = sides.every(
      (side) => side.length >= tellingKeywordMin && (isKeyword(side) || isMadeOfWords(side)),
    );
    return !areWholeWords && (isMadeOfWords(text) || isTwoWords(text));
  });
}

interface Stretch {
  text: string;
  /** Letters that the stretch has before the brand's place, and after it. */
  before: string;
  after: string;
}

/** Returns the brand's place in its token, with one letter less or up to `wordMargin` more on each side. */
function stretchesAround({ alignment, context }: Reading): Stretch[] {
  const { token, tokenStart }: Context = context;
  const start = alignment.start - tokenStart;
  const end = alignment.end - tokenStart;
  const stretches: Stretch[] = [];
  for (let from = Math.max(0, start - wordMargin); from <= start + 1; from++) {
    for (let to = end - 1; to <= Math.min(token.length, end + wordMargin); to++) {
      const [before, after] = [token.slice(from, start), token.slice(end, to)];
      stretches.push({ text: token.slice(from, to), before, after });
    }
  }
  return stretches;
}

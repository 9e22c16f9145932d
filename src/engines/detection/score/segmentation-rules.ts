/**
 * Rules for stretches that other words or random letters explain better than the brand does. Whether the brand is a word
 * of its label is decided by segmenting the label into words by frequency.
 */
import { isTellingSuffix } from "../brand/brand-words.ts";
import { isWord } from "../data/lexicon.ts";
import { consistsOfWords } from "../segmentation/brand-or-words.ts";
import { isAmidLetters, isAnybodysLabel, type Reading } from "./reading.ts";
import { rulesFor } from "./rule.ts";

/**
 * Bits that the segmentation without the brand may save before the brand does not count, by how the brand is written:
 * exactly, or with differences.
 */
const savedBitsMax = { exact: 3, different: 1 } as const;
/** The same for a brand with differences that is set apart. */
const setApartBits = 7;
/** Added beside phishing words, and in labels that anybody can create. */
const phishingWordBits = 6;
const otherPlaceBits = 12;
/** Added for each letter beyond the length of a short brand: long brands are rarely part of other words. */
const bitsPerLetter = { exact: 3, different: 2 } as const;
const shortLengthMax = 6;
/** The same for a short brand between letters, which it has to explain clearly better than words do. */
const amidLettersBits = -5;
/** Minimum length of a brand that is often made of words itself, such as walletconnect. */
const ownWordsLengthMin = 12;

/** Maximum length of a brand that occurs by chance in random letters and digits. */
const chanceLengthMax = { exact: 4, different: 5 } as const;
/** Suffixes of words for regions, people, styles and properties. */
const derivingSuffix = /^(?:ia|ian|ians|as|ic|esque|ii?v)/;
/** Maximum length of a brand that counts at the end of letters beside phishing words only. */
const brandAtEndLengthMax = 5;
/** Maximum length of a brand that letters of no known word explain, and the number of these letters. */
const middleLengthMax = 7;
const unknownBeforeMin = 8;
/** Number and name of a street. */
const streetAddress = /^\d{2,5}-?[a-z-]+(?:street|drive|avenue|ave|lane|road|court)$/;
/** Number after a common word that makes it a product, such as office365. */
const versionNumber = /^\d{3}/;

/** Minimum length of the rest of a random token, and of its changes between letters and digits. */
const randomRestMin = 8;
const randomChangesMin = 4;

export const segmentationRules = rulesFor(
  ["exact", "typos"],
  [
    {
      name: "random_token",
      words: ({ length }) => length <= chanceLengthMax.different,
      verdict: "object",
      why: "Random letters and digits contain every short brand somewhere.",
      keeps: [
        ["smbc-card.com", "smbc-7f3k29x8.net"],
        ["aplus.co.jp", "aplus1server9station2mail5.net"],
      ],
      drops: [["smbc-card.com", "57h5q1d0smbc58ft09c4oq.net"]],
      test: isRandomToken,
    },
    {
      name: "part_of_words",
      words: ({ length }) => length < ownWordsLengthMin,
      verdict: "object",
      slow: true,
      why: "Where the best segmentation of a label into words leaves no room for the brand, its letters are part of them.",
      keeps: [
        ["gmail.com", "compassgmail.net"],
        ["blockfi.com", "xn--broblockfix-thb.net"],
      ],
      drops: [
        ["revolut.com", "revolutiongym.net"],
        ["openai.com", "openairdrop.net"],
        ["micard.co.jp", "cosmicards.net"],
      ],
      test: isPartOfWords,
    },
    {
      name: "derived_word",
      words: ({ strictness, text }) => strictness === "careful" && isWord(text),
      verdict: "object",
      why: "A word with a suffix that derives another word from it is that word: amazonian is not amazon.",
      keeps: [["amazon.com", "amazonica-login.net"]],
      drops: [["amazon.com", "amazoniantraditions.net"]],
      test: ({ context, alignment }) =>
        alignment.edits.length === 0 &&
        derivingSuffix.test(context.after) &&
        context.right === "letter" &&
        !context.besidePhishingWord,
    },
    {
      name: "letter_and_word",
      words: ({ startsWithLetter }) => startsWithLetter,
      verdict: "object",
      why: "Beside words, a brand such as aplus is a word and a letter before it: mediaplus is media and plus.",
      keeps: [["aplus.co.jp", "aplusqx.net"]],
      drops: [
        ["icloud.com", "qxqicloud.net"],
        ["aplus.co.jp", "aplusdrywall.net"],
      ],
      test: isLetterAndWord,
    },
    {
      name: "street_address",
      verdict: "object",
      why: "Houses for sale have sites of their own: 50lloydstreet is a number and a street.",
      keeps: [["lloydsbank.com", "lloydsbank-50.net"]],
      drops: [["onedrive.com", "31riverstonedrive.net"]],
      test: ({ host, context }) =>
        context.registrable && streetAddress.test(host.labels[context.labelIndex]!.label),
    },
    {
      name: "end_of_letters",
      readings: ["exact"],
      words: ({ length }) => length <= middleLengthMax,
      verdict: "object",
      why: "Words and names of other languages end with short brands and with nouns: puertorico is not orico.",
      keeps: [
        ["aflac.com", "aflacqxqxqx.net"],
        ["aflac.com", "qxaflac-login.net"],
      ],
      drops: [
        ["aflac.com", "qxaflac.net"],
        ["ledger.com", "avaniledger.net"],
        ["rakuten.co.jp", "tandlakarakuten.net"],
      ],
      test: isEndOfLetters,
    },
    {
      name: "noun_beside_words",
      words: ({ noun, strictness }) => noun !== "no" && strictness === "careful",
      verdict: "object",
      slow: true,
      why: "A brand that is a word of the language means that word beside other words: familyoffice is not office.com.",
      keeps: [
        ["office.com", "office-login.net"],
        ["office.com", "office365.net"],
      ],
      drops: [
        ["office.com", "familyoffice.net"],
        ["office.com", "post-office.net"],
        ["phantom.app", "phantom-gym.net"],
        ["ledger.com", "ledgerfishing.net"],
      ],
      test: isNounBesideWords,
    },
    {
      name: "common_word_amid_ordinary",
      words: ({ strictness }) => strictness === "strict",
      verdict: "object",
      why: "A common word that is written together with ordinary keywords only is a word of the language.",
      keeps: [["chase.com", "mychaselogin.net"]],
      drops: [["chase.com", "globalchase.net"]],
      test: isCommonWordAmidOrdinary,
    },
    {
      name: "label_without_suffix",
      words: ({ kind, strictness }) => kind === "label" && strictness === "strict",
      verdict: "object",
      why: "Where label and suffix make the brand, as in chain.link, a common label beside other words means the word.",
      keeps: [
        ["chain.link", "chainlink-login.net"],
        ["chain.link", "chain-login.net"],
        ["chain.link", "chaindrop.link"],
      ],
      drops: [
        ["chain.link", "blue-chain-login.net"],
        ["chain.link", "chainbanking.net"],
      ],
      test: isLabelWithoutSuffix,
    },
  ],
);

function isLetterAndWord(reading: Reading): boolean {
  const { word, context, alignment } = reading;
  if (isAnybodysLabel(reading) || context.besideSignInWord) return false;
  if (context.left === "letter") return !context.besidePhishingWord;
  const isArticle = word.text.startsWith("a") && alignment.edits.length === 0;
  if (!isArticle || context.before !== "" || context.wholeLabel) return false;
  return !context.onlyKeywords && context.right !== "digit" && context.besideWords;
}

function isEndOfLetters(reading: Reading): boolean {
  const { word, context, alignment } = reading;
  if (context.left !== "letter" || isAnybodysLabel(reading)) return false;
  if (context.besidePhishingWord) return false;
  const isNoun = word.noun !== "no" && alignment.edits.length === 0 && context.right !== "digit";
  if (isNoun || word.length <= brandAtEndLengthMax) return true;
  return context.unknownLettersBefore >= unknownBeforeMin;
}

function isNounBesideWords(reading: Reading): boolean {
  const { word, context, alignment } = reading;
  if (alignment.edits.length > 0 || context.wholeLabel || isAnybodysLabel(reading)) return false;
  // Phishing words such as post and home stand beside these words in ordinary names, too.
  if (word.noun === "frequent") return !context.besideSignInWord && !versionNumber.test(context.after);
  if (context.onlyKeywords || context.right === "digit" || context.besidePhishingWord) return false;
  return context.besideWords;
}

function isCommonWordAmidOrdinary(reading: Reading): boolean {
  const { context } = reading;
  if (context.wholeLabel || context.between || isAnybodysLabel(reading)) return false;
  return !context.besidePhishingWord;
}

function isLabelWithoutSuffix(reading: Reading): boolean {
  const { suffix, sameSuffix, context } = reading;
  if (sameSuffix || context.wholeLabel || isAnybodysLabel(reading)) return false;
  // A name that consists of it and words of sign-in pages is worth a look, whatever the suffix.
  if (context.onlyKeywords && context.besideSignInWord) return false;
  return isTellingSuffix(suffix.slice(suffix.lastIndexOf(".") + 1));
}

function spellingOf({ alignment }: Reading): "exact" | "different" {
  return alignment.edits.length === 0 ? "exact" : "different";
}

function isPartOfWords(reading: Reading): boolean {
  const { context, host } = reading;
  // The word lists are English: they cannot explain a label with other letters.
  if (host.labels[context.labelIndex]!.origin !== undefined) return false;
  if (context.insideWord || context.wholeLabel) return false;
  const savedMax = savedBitsMaxOf(reading);
  const saved = reading.bitsAgainst;
  if (saved <= savedMax) return false;
  const placeBits = isAnybodysLabel(reading) && !context.acrossLabels ? otherPlaceBits : 0;
  return saved > savedMax + placeBits + (context.besidePhishingWord ? phishingWordBits : 0);
}

function savedBitsMaxOf(reading: Reading): number {
  const { word, anchored } = reading;
  const spelling = spellingOf(reading);
  const isShort = spelling === "exact" && word.length <= shortLengthMax;
  // Words explain paypal as well as the brand does, whatever stands beside it.
  if (isShort && isAmidLetters(reading) && !consistsOfWords(word.text)) return amidLettersBits;
  const written = anchored && spelling === "different" ? setApartBits : savedBitsMax[spelling];
  return written + bitsPerLetter[spelling] * Math.max(0, word.length - shortLengthMax);
}

function isRandomToken(reading: Reading): boolean {
  const { word, context, found } = reading;
  if (word.length > chanceLengthMax[spellingOf(reading)]) return false;
  if (context.wholeLabel || isAnybodysLabel(reading)) return false;
  const { token } = context;
  if (token.length - found.length < randomRestMin) return false;
  const changes = token.match(/\d(?=\D)|\D(?=\d)/g) ?? [];
  return changes.length >= randomChangesMin;
}

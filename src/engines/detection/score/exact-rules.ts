/**
 * Rules for readings in which every letter is the brand's own or looks like it. The more common a brand word is in
 * honest names, the more of its label must be keywords.
 */
import { countsAtEdgeOnly, type BrandWord } from "../brand/brand-words.ts";
import type { BrandContext } from "./brand-context.ts";
import { isAnybodysLabel, type Reading } from "./reading.ts";
import { rulesFor } from "./rule.ts";

/** Minimum length of a careful word that counts with letters on one side. */
const oneSidedLengthMin = 6;
/** Maximum length of a plain word that letters on both sides explain, unless they are keywords. */
const amidLettersLengthMax = 4;
/** Maximum number of letters after an abbreviation. */
const lettersAfterMax = 3;
/** Minimum length of a careful word that counts beside words. */
const shortWordLengthMin = 4;
/** Minimum length of a common word that counts inside keywords, such as `chase` in `mychaselogin`. */
const insideKeywordsLengthMin = 5;

/** Bits that the segmentation without a short word may save. */
const shortWordBitsMax = 1;

/** A number that identifies a case or an account. */
const longNumber = /-\d{8,}/;

export const exactRules = rulesFor(
  ["exact"],
  [
    {
      name: "whole_label",
      verdict: "keep",
      why: "A label that is the brand and nothing else means the brand.",
      keeps: [["chase.com", "chase.net"]],
      drops: [["chase.com", "chasetheace.net"]],
      test: ({ context }) => context.wholeLabel,
    },
    {
      name: "rare_word",
      words: isPlain,
      verdict: "keep",
      why: "A long or rare brand word occurs in hardly any honest name.",
      keeps: [["wellsfargo.com", "qxwellsfargoqx.net"]],
      drops: [["chase.com", "qxchaseqx.net"]],
      test: isRareWord,
    },
    {
      name: "word_set_apart",
      words: isCareful,
      verdict: "keep",
      why: "A word that also occurs elsewhere means the brand between separators, digits or keywords.",
      keeps: [["dhl.com", "dhl-qxqx.net"]],
      drops: [["dhl.com", "qxdhlqx.net"]],
      test: ({ word, context }) =>
        (isSetApart(context) || context.onlyKeywords) &&
        (context.atEdge || word.length >= insideKeywordsLengthMin),
    },
    {
      name: "word_at_edge",
      words: (word) => isCareful(word) && word.length >= oneSidedLengthMin,
      verdict: "keep",
      why: "A word of six letters that also occurs elsewhere means the brand even with letters on one side.",
      keeps: [["amazon.com", "amazonqx.net"]],
      drops: [["amazon.com", "qxamazonqx.net"]],
      test: ({ context }) => context.left !== "letter" || context.right !== "letter",
    },
    {
      name: "short_word_at_edge",
      words: (word) => isCareful(word) && word.length >= shortWordLengthMin,
      verdict: "keep",
      why: "A brand of four or five letters starts a label of words, or a label that anybody can create.",
      keeps: [
        ["adobe.com", "adobeflashplayer.net"],
        ["adobe.com", "adobeqxq.qxqx.net"],
      ],
      drops: [["adobe.com", "adobeqxq.net"]],
      test: isShortWordAtEdge,
    },
    {
      name: "word_after_my",
      words: isCareful,
      verdict: "keep",
      why: "A brand after the word my, which starts the label, names the customer's account: myjcb.",
      keeps: [["jcb.co.jp", "myjcbqx.net"]],
      drops: [["jcb.co.jp", "jcbqx.net"]],
      test: ({ context, alignment }) => alignment.edits.length === 0 && context.before === "my",
    },
    {
      name: "abbreviation_and_letters",
      words: ({ noun, length }) => noun === "no" && length === 3,
      verdict: "keep",
      why: "An abbreviation of three letters means the brand if only a hyphen and a few letters follow it.",
      keeps: [["nta.go.jp", "nta-qx.net"]],
      drops: [["nta.go.jp", "nta-qxqx.net"]],
      test: ({ context, alignment }) =>
        alignment.edits.length === 0 &&
        context.before === "" &&
        context.right === "separator" &&
        context.after.length <= lettersAfterMax,
    },
    {
      name: "two_letters_beside_phishing_word",
      words: ({ length }) => length === 2,
      verdict: "keep",
      why: "Two letters between separators mean the brand beside phishing words and numbers only, or a long number.",
      keeps: [
        ["fb.com", "fb-recovery-2026.net"],
        ["fb.com", "fb-updates-100017132322-qx.net"],
      ],
      drops: [["fb.com", "fb-germany.net"]],
      test: ({ context }) =>
        context.between &&
        (context.onlyKeywords || longNumber.test(context.after)) &&
        context.besidePhishingWord,
    },
    {
      name: "two_letters_in_label",
      words: (word) => isStrict(word) && word.length <= 2,
      verdict: "drop",
      why: "Every other name contains some two letters, so they count only as a whole label.",
      keeps: [["hp.com", "hp.net"]],
      drops: [["hp.com", "hp-logintime.net"]],
      test: () => true,
    },
    {
      name: "three_letters_amid_letters",
      words: countsAtEdgeOnly,
      verdict: "drop",
      why: "Three letters that are part of words occur by chance inside longer runs of letters.",
      keeps: [["ing.nl", "ing-login.net"]],
      drops: [["ing.nl", "qx-marketingpromo.net"]],
      test: ({ context }) => !context.atEdge,
    },
    {
      name: "common_word_beside_keywords",
      words: isStrict,
      verdict: "keep",
      why: "A common word means the brand in a label with nothing else but keywords such as login.",
      keeps: [["chase.com", "chase-login.net"]],
      drops: [["chase.com", "chase-qx.net"]],
      test: ({ word, context }) =>
        context.onlyKeywords &&
        (word.length >= insideKeywordsLengthMin ||
          context.between ||
          context.before === "" ||
          context.after === ""),
    },
    {
      name: "common_word_with_letter",
      words: isStrict,
      verdict: "keep",
      why: "Under the brand's own suffix, a common word and a letter beside a hyphen are close to the whole name.",
      keeps: [["chase.com", "chase-q.com"]],
      drops: [["chase.com", "chase-q.net"]],
      test: isCommonWordWithLetter,
    },
    {
      name: "common_word_set_apart",
      words: isStrict,
      verdict: "keep",
      why: "A common word that is set apart counts beside a keyword, and in labels that anybody can create.",
      keeps: [["chase.com", "chase-qx-login.net"]],
      drops: [["chase.com", "chase-qx.net"]],
      test: isCommonWordSetApart,
    },
  ],
);

function isRareWord(reading: Reading): boolean {
  const { word, context } = reading;
  return (
    word.length > amidLettersLengthMax || context.atEdge || context.onlyKeywords || isAnybodysLabel(reading)
  );
}

function isShortWordAtEdge(reading: Reading): boolean {
  const { word, context, alignment } = reading;
  if (!context.atEdge || alignment.edits.length > 0 || reading.bitsAgainst > shortWordBitsMax) return false;
  if (isAnybodysLabel(reading)) return context.left !== "letter";
  return word.noun === "no" && context.besideWords;
}

function isCommonWordSetApart({ context, host }: Reading): boolean {
  if (!isSetApart(context) || context.onlyKeywords) return false;
  return context.rest === "some_keywords" || !context.registrable || host.parts.hosted;
}

function isCommonWordWithLetter({ word, context, sameSuffix }: Reading): boolean {
  if (!sameSuffix || !context.registrable || context.acrossLabels) return false;
  // As many letters as a typo may add.
  return context.between && (context.before + context.after).length <= word.errorsAnchored;
}

function isPlain({ strictness }: BrandWord): boolean {
  return strictness === "plain";
}

function isCareful({ strictness }: BrandWord): boolean {
  return strictness === "careful";
}

function isStrict({ strictness }: BrandWord): boolean {
  return strictness === "strict";
}

/** Whether separators, digits or keywords stand on both sides. */
function isSetApart({ left, right }: BrandContext): boolean {
  return left !== "letter" && right !== "letter";
}

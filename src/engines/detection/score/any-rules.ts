/** Rules for all readings by alignment: what is no evidence, whatever stands beside it. */
import { isTellingSuffix } from "../brand/brand-words.ts";
import { isKeyword, isWord } from "../data/lexicon.ts";
import type { Reading } from "./reading.ts";
import { rulesFor } from "./rule.ts";

/** Minimum length of a brand that may be split by separators. */
const splitLengthMin = 3;
/** Maximum length of a brand in which one look-alike character is chance. */
const lookAlikeLengthMax = 3;
/** Minimum length of a brand that counts inside an English word beside phishing words. */
const besidePhishingLengthMin = 6;

export const anyRules = rulesFor(
  ["exact", "typos"],
  [
    {
      name: "generic_label_below",
      words: ({ strictness }) => strictness === "generic",
      verdict: "drop",
      why: "Hosts below any name are called mail or online: such a label counts only where it is registered.",
      keeps: [["online.de", "online.net"]],
      drops: [["online.de", "online.qxqx.net"]],
      test: ({ context }) => !context.registrable || context.acrossLabels,
    },
    {
      name: "too_many_errors",
      words: ({ errorsAnywhere, errorsAnchored }) => errorsAnywhere < errorsAnchored,
      verdict: "drop",
      why: "With more errors than its length tolerates, a word is a different word.",
      keeps: [["paypal.com", "my-paipal-login.net"]],
      drops: [["paypal.com", "mypaipallogin.net"]],
      test: (reading) => reading.errors > reading.word.errorsAnywhere && !reading.anchored,
    },
    {
      name: "short_word_split",
      words: ({ length }) => length < splitLengthMin,
      verdict: "drop",
      why: "Two letters with a separator between them can abbreviate anything.",
      keeps: [["hp.com", "hp.net"]],
      drops: [["hp.com", "h-p.net"]],
      test: ({ anchored }) => !anchored,
    },
    {
      name: "part_of_word",
      verdict: "drop",
      slow: true,
      why: "Letters inside a longer English word mean that word, unless it starts or ends with them beside phishing words.",
      keeps: [
        ["discord.com", "discordqx.net"],
        ["intuit.com", "intuition-reward.net"],
      ],
      drops: [
        ["discord.com", "discordant.net"],
        ["ing.nl", "paying.net"],
        ["nitori.com", "janitorial-login.net"],
      ],
      test: ({ word, context }) =>
        context.insideWord &&
        !(context.atEdge && word.length >= besidePhishingLengthMin && context.besidePhishingPart),
    },
    {
      name: "suffix_starts_word",
      words: ({ kind }) => kind === "name",
      verdict: "drop",
      why: "A short suffix that other letters continue is the start of a word: chasecompass is not chase.com.",
      keeps: [["chase.com", "qxchasecom.net"]],
      drops: [
        ["chase.com", "qxchasecomet.net"],
        ["chase.com", "qxchase-compass.net"],
        ["chase.com", "qxchase.compost.net"],
      ],
      test: startsWordWithSuffix,
    },
    {
      name: "mostly_look_alikes",
      verdict: "drop",
      why: "If most characters only look like the brand's, any text might look like it: 801 is not bol.",
      keeps: [["bol.com", "b0l.net"]],
      drops: [["bol.com", "801.net"]],
      test: (reading) => 2 * countKept(reading) < reading.word.length,
    },
    {
      name: "look_alike_in_three_letters",
      words: ({ length }) => length <= lookAlikeLengthMax,
      verdict: "drop",
      why: "A look-alike among three letters is chance, unless they are the label or stand beside keywords.",
      keeps: [["bol.com", "b0l-login.net"]],
      drops: [["bol.com", "22boi.net"]],
      test: ({ alignment, context }) =>
        alignment.edits.some(({ kind }) => kind !== "separator") &&
        !context.wholeLabel &&
        !context.besideKeywords,
    },
  ],
);

/** Returns the number of the brand's characters that the name contains unchanged. */
function countKept({ word, alignment }: Reading): number {
  let kept = word.length;
  for (const { kind, expected } of alignment.edits) if (kind !== "separator") kept -= expected.length;
  return kept;
}

/**
 * Whether the brand's suffix goes on in the name, by letters that make a word with it or are no keyword. A suffix that
 * is a word itself, as in cash.app, may be followed by any letters.
 */
function startsWordWithSuffix({ word, alignment, context, found }: Reading): boolean {
  const last = word.text.slice(word.text.lastIndexOf(".") + 1);
  const isTelling = isTellingSuffix(last);
  const edit = alignment.edits.at(-1);
  // Letters that are added at the end of the stretch continue the suffix as well.
  const isLonger = edit?.expected === "" && edit.position + edit.found.length === alignment.end;
  if (isLonger && edit.kind !== "separator") return !isTelling;
  if (context.right === "separator" || context.right === "digit") return false;
  const [next = ""] = context.after.split(/[-\d]/, 1);
  const joined = found.slice(-last.length) + next;
  if (last.length <= 3 && (isWord(joined) || isKeyword(joined))) return true;
  return context.right === "letter" && !isTelling;
}

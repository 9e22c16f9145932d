/** Rules for all readings by alignment: what is no evidence, whatever stands beside it. */
import type { Reading } from "./reading.ts";
import type { Rule } from "./rule.ts";

/** Minimum length of a brand that may be split by separators. */
const splitLengthMin = 3;
/** Maximum length of a brand in which one look-alike character is chance. */
const lookAlikeLengthMax = 3;

const readings = ["exact", "typos"] as const;

export const anyRules: readonly Rule[] = [
  {
    name: "too_many_errors",
    readings,
    verdict: "drop",
    why: "With more errors than its length tolerates, a word is a different word.",
    keeps: [["paypal.com", "my-paipal-login.net"]],
    drops: [["paypal.com", "mypaipallogin.net"]],
    test: ({ word, errors, anchored }) => errors > (anchored ? word.errorsAnchored : word.errorsAnywhere),
  },
  {
    name: "short_word_split",
    readings,
    verdict: "drop",
    why: "Two letters with a separator between them can abbreviate anything.",
    keeps: [["hp.com", "hp.net"]],
    drops: [["hp.com", "h-p.net"]],
    test: ({ word, anchored }) => word.length < splitLengthMin && !anchored,
  },
  {
    name: "part_of_word",
    readings,
    verdict: "drop",
    why: "Letters inside a longer English word mean that word: discordant is not discord.",
    keeps: [["discord.com", "discordqx.net"]],
    drops: [
      ["discord.com", "discordant.net"],
      ["ing.nl", "paying.net"],
    ],
    test: ({ context }) => context.insideWord,
  },
  {
    name: "mostly_look_alikes",
    readings,
    verdict: "drop",
    why: "If most characters only look like the brand's, any text might look like it: 801 is not bol.",
    keeps: [["bol.com", "b0l.net"]],
    drops: [["bol.com", "801.net"]],
    test: (reading) => 2 * countKept(reading) < reading.word.length,
  },
  {
    name: "look_alike_in_three_letters",
    readings,
    verdict: "drop",
    why: "A look-alike among three letters is chance, unless they are the label or stand beside keywords.",
    keeps: [["bol.com", "b0l-login.net"]],
    drops: [["bol.com", "22boi.net"]],
    test: ({ word, alignment, context }) =>
      word.length <= lookAlikeLengthMax &&
      alignment.edits.some(({ kind }) => kind !== "separator") &&
      !context.wholeLabel &&
      !context.besideKeywords,
  },
];

/** Returns the number of the brand's characters that the name contains unchanged. */
function countKept({ word, alignment }: Reading): number {
  const changed = alignment.edits.filter(({ kind }) => kind !== "separator");
  return word.length - changed.reduce((sum, { expected }) => sum + expected.length, 0);
}

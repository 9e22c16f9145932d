/** Rules that come before all others: what can be no evidence, whatever stands around it. */
import type { Context } from "./brand-context.ts";
import type { Reading } from "./reading.ts";
import type { Rule } from "./rule.ts";

/** Minimum length of a keyword that tells something; shorter ones are mostly country codes. */
export const tellingKeywordMin = 3;

/** Minimum length of a brand that is searched with separators inside. */
const splitLengthMin = 3;
/** Maximum length of a brand of which one look-alike is chance. */
const lookAlikeLengthMax = 3;

const readings = ["exact", "typos"] as const;

export const anyRules: readonly Rule[] = [
  {
    name: "too_many_errors",
    readings,
    verdict: "drop",
    why: "More errors than a word of this length tolerates make another word of it.",
    keeps: [["paypal.com", "my-paipal-login.net"]],
    drops: [["paypal.com", "mypaipallogin.net"]],
    test: ({ word, errors, anchored }) => errors > (anchored ? word.errorsAnchored : word.errorsAnywhere),
  },
  {
    name: "short_word_split",
    readings,
    verdict: "drop",
    why: "Two letters with a separator between them are an abbreviation of anything.",
    keeps: [["hp.com", "hp.net"]],
    drops: [["hp.com", "h-p.net"]],
    test: ({ word, anchored }) => word.length < splitLengthMin && !anchored,
  },
  {
    name: "part_of_word",
    readings,
    verdict: "drop",
    why: "Letters inside a longer word mean that word: a pineapple is no apple.",
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
    why: "If fewer than half of the characters are the brand's own, any text might look like it: 801 is not bol.",
    keeps: [["bol.com", "b0l.net"]],
    drops: [["bol.com", "801.net"]],
    test: (reading) => 2 * countKept(reading) < reading.word.length,
  },
  {
    name: "look_alike_in_three_letters",
    readings,
    verdict: "drop",
    why: "One look-alike in three letters is chance, unless they are a label or stand beside keywords.",
    keeps: [["bol.com", "b0l-login.net"]],
    drops: [["bol.com", "22boi.net"]],
    test: ({ word, alignment, context }) =>
      word.length <= lookAlikeLengthMax &&
      alignment.edits.some(({ kind }) => kind !== "separator") &&
      !context.wholeLabel &&
      !isBesideKeywords(context),
  },
];

/** Number of the brand's characters that stand in the name as themselves. */
function countKept({ word, alignment }: Reading): number {
  const changed = alignment.edits.filter(({ kind }) => kind !== "separator");
  return word.length - changed.reduce((sum, { expected }) => sum + expected.length, 0);
}

/** Whether the label holds nothing else but keywords, one of them longer than a country code. */
export function isBesideKeywords({ onlyKeywords, keywords }: Context): boolean {
  return onlyKeywords && keywords.some((keyword) => keyword.length >= tellingKeywordMin);
}

/**
 * The rules that decide which readings of a name count as look-alikes of a brand. The order matters: the first
 * rule that applies decides. A test runs the examples of every rule with and without it.
 */
import { anyRules } from "./any-rules.ts";
import { exactRules } from "./exact-rules.ts";
import { nearMissRules } from "./near-miss-rules.ts";
import { createAcceptance, type Rule } from "./rule.ts";
import { segmentationRules } from "./segmentation-rules.ts";
import { typoRules } from "./typo-rules.ts";

const homophoneRules: readonly Rule[] = [
  {
    name: "homophone",
    readings: ["homophone"],
    verdict: "keep",
    why: "A label or a part between hyphens that sounds like the brand, and is not a word, is a spelling of it.",
    keeps: [["netflix.com", "netflicks-login.com"]],
    drops: [["netflix.com", "netblicks-login.com"]],
    test: () => true,
  },
];

export const acceptanceRules: readonly Rule[] = [
  ...homophoneRules,
  ...anyRules,
  ...segmentationRules,
  ...exactRules,
  ...nearMissRules,
  ...typoRules,
];

export const acceptance = createAcceptance(acceptanceRules);

/** Returns why a rule keeps or drops a reading. */
export function reasonOfRule(name: string): string {
  return acceptanceRules.find((rule) => rule.name === name)?.why ?? "";
}

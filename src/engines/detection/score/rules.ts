/**
 * The rules that decide which readings of a name count as look-alikes of a brand. The order matters: the first
 * rule that applies decides. A test runs the examples of every rule with and without it.
 */
import { anyRules } from "./any-rules.ts";
import { exactRules } from "./exact-rules.ts";
import { nearMissRules } from "./near-miss-rules.ts";
import { createAcceptance, rulesFor, type Rule } from "./rule.ts";
import { segmentationRules } from "./segmentation-rules.ts";
import { typoRules } from "./typo-rules.ts";
import { lookAlikeTypes } from "../types.ts";
import type { ScoredReading } from "./score-name.ts";

const homophoneRules = rulesFor(
  ["homophone"],
  [
    {
      name: "homophone",
      verdict: "keep",
      why: "A label or a part between hyphens that sounds like the brand, and is not a word, is a spelling of it.",
      keeps: [["netflix.com", "netflicks-login.com"]],
      drops: [["netflix.com", "netblicks-login.com"]],
      test: () => true,
    },
  ],
);

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

/** Chooses between the readings of one name: what its similarity is, and what it is called. */

/** Returns the reading that gives the name its similarity. Of equal ones, the one that explains most of the name. */
export function closestOf(readings: readonly ScoredReading[]): ScoredReading | undefined {
  if (readings.length === 1) return readings[0];
  const [first] = readings
    .filter((one) => !readings.some((other) => isStemOf(one, other)))
    .toSorted(
      (a, b) => b.similarity - a.similarity || b.end - b.start - (a.end - a.start) || rankOf(a) - rankOf(b),
    );
  return first;
}

/** Returns whether a reading is only the distinctive part of what another one reads as the brand. */
function isStemOf(one: ScoredReading, other: ScoredReading): boolean {
  const isPart = one.start >= other.start && one.end <= other.end;
  return isPart && one.reading.word.kind === "stem" && other.reading.word.kind !== "stem";
}

/** Returns the reading of the most specific type, which gives the name its type and reasons. */
export function tellingOf(readings: readonly ScoredReading[]): ScoredReading | undefined {
  if (readings.length === 1) return readings[0];
  // If one stretch reads as two words, the closer one counts.
  const closest = readings.filter(({ start, end, similarity }) => {
    return !readings.some(
      (other) => other.start === start && other.end === end && other.similarity > similarity,
    );
  });
  const [first] = closest.toSorted((a, b) => rankOf(a) - rankOf(b) || b.similarity - a.similarity);
  return first;
}

function rankOf({ type }: ScoredReading): number {
  return lookAlikeTypes.indexOf(type);
}

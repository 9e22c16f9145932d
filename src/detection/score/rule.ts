/** Acceptance rules: a decision list in which the first rule that applies decides. */
import { strictnesses, type Strictness } from "../brand/brand-words.ts";
import type { Reading, ReadingKind } from "./reading.ts";

/** A protected domain and a name that is compared with it. */
export type Example = readonly [protectedDomain: string, name: string];

export interface Rule {
  /** Stable: `match --explain` prints it. */
  name: string;
  /** Kinds of readings that the rule is tested on. */
  readings: readonly ReadingKind[];
  /** Strictness of the words that the rule is tested on. Absent: all. */
  words?: readonly Strictness[];
  /** `object` drops what any rule keeps, wherever it stands in the list. */
  verdict: "keep" | "drop" | "object";
  /** Whether the test looks up many words, so that it runs after the others. */
  slow?: true;
  /** Why such a reading is, or is not, evidence of a look-alike. */
  why: string;
  /** Names that match. They are decided by a rule that keeps, and not affected by a rule that drops. */
  keeps: readonly [Example, ...Example[]];
  /** Names that do not match. They are decided by a rule that drops, and not affected by a rule that keeps. */
  drops: readonly [Example, ...Example[]];
  /** Whether the rule applies to the reading. */
  test(reading: Reading): boolean;
}

/** Returns the rule that keeps a reading, or undefined if the reading is dropped. */
export type Acceptance = (reading: Reading) => Rule | undefined;

/** A rule that keeps, and the rules that drop what it would keep: those before it, and those that object. */
interface Keep {
  rule: Rule;
  against: readonly Rule[];
}

/**
 * Returns an acceptance in which the first rule that applies decides. A reading that no rule keeps is dropped, and one
 * that a rule objects to as well.
 *
 * The rules that keep are tested first: most readings are dropped because none applies, and then no other test matters.
 */
export function createAcceptance(rules: readonly Rule[]): Acceptance {
  const keepsOf = (kind: ReadingKind) => {
    const own = rules.filter(({ readings }) => readings.includes(kind));
    const entries = strictnesses.map((strictness) => {
      const tested = own.filter(({ words }) => words?.includes(strictness) ?? true);
      return [strictness, keepsAmong(tested)] as const;
    });
    return Object.fromEntries(entries) as Record<Strictness, Keep[]>;
  };
  const keeps = { exact: keepsOf("exact"), typos: keepsOf("typos"), homophone: keepsOf("homophone") };
  return (reading) => {
    for (const { rule, against } of keeps[reading.kind][reading.word.strictness]) {
      if (!rule.test(reading)) continue;
      for (const other of against) if (other.test(reading)) return undefined;
      return rule;
    }
    return undefined;
  };
}

function keepsAmong(rules: readonly Rule[]): Keep[] {
  return rules.flatMap((rule, index) => {
    if (rule.verdict !== "keep") return [];
    const against = rules.filter(
      ({ verdict }, at) => verdict === "object" || (verdict === "drop" && at < index),
    );
    return [{ rule, against: against.toSorted((a, b) => Number(a.slow ?? false) - Number(b.slow ?? false)) }];
  });
}

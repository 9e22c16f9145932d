/** Acceptance rules: a decision list in which the first rule that applies decides. */
import type { BrandWord } from "../brand/brand-words.ts";
import type { Reading, ReadingKind } from "./reading.ts";

/** A protected domain and a name that is compared with it. */
export type Example = readonly [protectedDomain: string, name: string];

export interface Rule {
  /** Stable: `match --explain` prints it. */
  name: string;
  /** Kinds of readings that the rule is tested on. */
  readings: readonly ReadingKind[];
  /** Returns whether the rule may apply to readings of the word; it is not tested on others. Absent: on all. */
  words?(word: BrandWord): boolean;
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

/** Returns rules that are tested on these kinds of readings, unless a rule names its own. */
export function rulesFor(
  readings: Rule["readings"],
  rules: readonly (Omit<Rule, "readings"> & Partial<Rule>)[],
): readonly Rule[] {
  return rules.map((rule) => ({ readings, ...rule }));
}

/** Returns the rule that keeps a reading, or undefined if the reading is dropped. */
export type Acceptance = (reading: Reading) => Rule | undefined;

/** A rule with its place in the decision list. */
interface Listed {
  rule: Rule;
  place: number;
}

/** The rules that are tested on readings of one kind of one word. */
interface WordRules {
  keeping: readonly Listed[];
  /** Rules that drop what the rules after them keep. Those that object are before all rules. */
  dropping: readonly Listed[];
}

const beforeAll = -1;

/**
 * Returns an acceptance in which the first rule that applies decides. A reading that no rule keeps is dropped, and one
 * that a rule objects to as well.
 *
 * The rules that keep are tested first: most readings are dropped because none applies, and then no other test matters.
 * Most rules concern few words, so the rules of each word are selected once.
 */
export function createAcceptance(rules: readonly Rule[]): Acceptance {
  const known = new WeakMap<BrandWord, Partial<Record<ReadingKind, WordRules>>>();
  return (reading) => {
    const { word, kind } = reading;
    let own = known.get(word);
    if (own === undefined) known.set(word, (own = {}));
    const { keeping, dropping } = (own[kind] ??= rulesOf(rules, word, kind));
    for (const { rule, place } of keeping) {
      if (!rule.test(reading)) continue;
      for (const other of dropping) if (other.place < place && other.rule.test(reading)) return undefined;
      return rule;
    }
    return undefined;
  };
}

function rulesOf(rules: readonly Rule[], word: BrandWord, kind: ReadingKind): WordRules {
  const keeping: Listed[] = [];
  const dropping: Listed[] = [];
  for (const [place, rule] of rules.entries()) {
    if (!rule.readings.includes(kind) || rule.words?.(word) === false) continue;
    if (rule.verdict === "keep") keeping.push({ rule, place });
    else dropping.push({ rule, place: rule.verdict === "object" ? beforeAll : place });
  }
  dropping.sort((a, b) => Number(a.rule.slow ?? false) - Number(b.rule.slow ?? false));
  return { keeping, dropping };
}

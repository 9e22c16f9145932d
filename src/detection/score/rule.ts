/** Acceptance rules: a decision list in which the first rule that applies decides. */
import type { Reading, ReadingKind } from "./reading.ts";

/** A protected domain and a name that is compared with it. */
export type Example = readonly [protectedDomain: string, name: string];

export interface Rule {
  /** Stable: `match --explain` prints it. */
  name: string;
  /** Kinds of readings that the rule is tested on. */
  readings: readonly ReadingKind[];
  /** `object` drops what another rule keeps. It is tested last, because it takes long. */
  verdict: "keep" | "drop" | "object";
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

/**
 * Returns an acceptance in which the first rule that applies decides. A reading that no rule keeps is dropped, and one
 * that a rule objects to as well.
 */
export function createAcceptance(rules: readonly Rule[]): Acceptance {
  const forKind = (kind: ReadingKind): { deciding: Rule[]; objecting: Rule[] } => {
    const own = rules.filter(({ readings }) => readings.includes(kind));
    return {
      deciding: own.filter(({ verdict }) => verdict !== "object"),
      objecting: own.filter(({ verdict }) => verdict === "object"),
    };
  };
  const rulesFor = {
    exact: forKind("exact"),
    typos: forKind("typos"),
    homophone: forKind("homophone"),
  };
  return (reading) => {
    const { deciding, objecting } = rulesFor[reading.kind];
    const rule = deciding.find((one) => one.test(reading));
    if (rule?.verdict !== "keep" || objecting.some((one) => one.test(reading))) return undefined;
    return rule;
  };
}

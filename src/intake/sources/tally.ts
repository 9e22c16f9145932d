import type { ThreatSource } from "../../platform/vocabulary/threats.ts";
import type { Entry, Reading } from "./entries/entry.ts";
import type { Interpretation, Interpretations } from "./entries/interpretation.ts";

/** Maximum number of invalid names that a run reports, unless the caller wants another number. */
export const invalidShownMax = 20;
const invalidTextCharactersMax = 120;
export interface InvalidName {
  /** Line in the list, or number of the name in a submission, from 1. */
  line: number;
  text: string;
  /** A phrase that follows the text, such as "is empty". */
  why: string;
}

/** Counts of one run. */
export interface Tally {
  received: number;
  invalid: number;
  /** The first few invalid names. */
  firstInvalid: InvalidName[];
  /** Names that match at least one protected domain. */
  matched: number;
  /** Threats that were not on record before. */
  created: number;
  /** How the first lines were read, if the options of the run ask for it. */
  interpreted: readonly Interpretation[];
}

export function createTally(interpreted: readonly Interpretation[]): Tally {
  return { received: 0, invalid: 0, firstInvalid: [], matched: 0, created: 0, interpreted };
}

/** Counts and explains what was read of one run. */
export function createAcceptance(dependencies: {
  interpretations: Pick<Interpretations, "addSkipped">;
  invalidMax: number;
  source: ThreatSource;
  tally: Tally;
}) {
  const { interpretations, invalidMax, source, tally } = dependencies;
  const reject = (line: number, text: string, why: string): void => {
    tally.invalid++;
    if (tally.firstInvalid.length < invalidMax)
      tally.firstInvalid.push({ line, text: text.slice(0, invalidTextCharactersMax), why });
  };
  return {
    reject,
    /** Returns the names that were read. */
    accept(reading: Reading, text: string, line: number): readonly Entry[] {
      if ("entries" in reading) return reading.entries;
      if ("skipped" in reading) interpretations.addSkipped(line, text, reading);
      // In a list, links to addresses are usual. A person who enters one wants to know why it was not checked.
      const isEntered = source === "submission" && !("skipped" in reading && reading.isInMessage === true);
      if (!("skipped" in reading) || isEntered) reject(line, text, reading.error);
      return [];
    },
  };
}

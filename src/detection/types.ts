import type { ThreatType } from "../vocabulary/threats.ts";

/**
 * The vocabulary of the look-alike engine: what is protected, what a match says, and the kinds of squatting
 * that are told apart.
 */

/** A name to be guarded. All names are in A-label form, lower case, without trailing dot. */
export interface ProtectedName {
  domain: string;
  /** Further brand words that count as this domain's name. */
  keywords: readonly string[];
  /** Names of its owner that are never look-alikes, with everything below them. */
  allow: readonly string[];
}

export interface Match {
  protectedDomain: string;
  type: ThreatType;
  /** 0 to 1, at most four decimals; 1 is indistinguishable. */
  similarity: number;
  reasons: Reason[];
}

/** A match that the engine found in a name, rather than one that was seen on a page. */
export interface NameMatch extends Match {
  /** Name of the acceptance rule that kept the reading of the name. */
  rule: string;
}

/** How one stretch of the name differs from the word that it imitates. */
const editKinds = [
  "confusable",
  "bit_flip",
  "omission",
  "insertion",
  "repetition",
  "transposition",
  "keyboard_neighbour",
  "vowel_swap",
  "replacement",
  "plural",
] as const;

export type EditKind = (typeof editKinds)[number];

/** One step of the explanation of a match. Positions count characters of the label, from 0. */
export type Reason =
  | { kind: EditKind; label: string; position: number; found: string; expected: string }
  | { kind: "split"; found: string; expected: string }
  | { kind: "sound"; label: string; expected: string; code: string }
  | { kind: "whole_name"; found: string; expected: string }
  | { kind: "whole_label"; label: string; expected: string }
  | { kind: "label_part"; label: string; position: number; found: string; expected: string }
  | { kind: "sub_label"; label: string; registrableDomain: string }
  | { kind: "hosted"; suffix: string }
  | { kind: "other_suffix"; found: string; expected: string }
  | { kind: "keyword"; label: string; keyword: string };

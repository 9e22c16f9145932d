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

/**
 * One step of the explanation of a match: a stable code with its parameters, as it is stored; `reasons.ts` renders
 * it as text. Positions count characters of the label, from 0. Labels may be A-labels.
 */
export type Reason =
  | { code: EditWithBoth; params: { label: string; position: number; found: string; expected: string } }
  | { code: "omission"; params: { label: string; position: number; expected: string } }
  | { code: Addition; params: { label: string; position: number; found: string } }
  | { code: "split"; params: { found: string; expected: string } }
  | { code: "sound"; params: { label: string; expected: string; code: string } }
  | { code: "whole_name"; params: { found: string; expected: string } }
  | { code: "whole_label"; params: { label: string; expected: string } }
  | { code: "label_part"; params: { label: string; position: number; found: string } }
  | { code: "sub_label"; params: { label: string; registrableDomain: string } }
  | { code: "hosted"; params: { suffix: string } }
  | { code: "other_suffix"; params: { found: string; expected: string } }
  | { code: "keyword"; params: { label: string; keyword: string } };

/** Edits that add something, so that nothing was expected in its place. */
type Addition = "insertion" | "repetition" | "plural";
type EditWithBoth = Exclude<EditKind, "omission" | Addition>;

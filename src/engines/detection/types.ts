/** Types shared by the look-alike engine and its callers: protected names, matches and their reasons. */

/** Types of look-alikes, most specific first: a name that fits several gets the first of them. */
export const lookAlikeTypes = [
  "homograph",
  "bitsquatting",
  "typosquatting",
  "tld_squatting",
  "doppelganger",
  "levelsquatting",
  "combosquatting",
  "soundsquatting",
] as const;

export type LookAlikeType = (typeof lookAlikeTypes)[number];

/** A protected domain. All names are in A-label form, lower case, without a trailing dot. */
export interface ProtectedName {
  domain: string;
  /** Brand keywords: other words by which the domain is known. */
  keywords: readonly string[];
  /** Domains of the same owner that never match, with everything below them. */
  allow: readonly string[];
}

/** A protected domain that a name resembles. */
export interface NameMatch {
  protectedDomain: string;
  type: LookAlikeType;
  /** 0 to 1, at most four decimals; 1 is indistinguishable. */
  similarity: number;
  reasons: Reason[];
  /** Name of the acceptance rule that kept the reading of the name. */
  rule: string;
}

/** Ways in which a stretch of a name differs from the word that it resembles. */
export type EditKind = Addition | Substitution | "bit_flip" | "omission" | "transposition";

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
export type Substitution = "confusable" | "keyboard_neighbor" | "vowel_swap" | "replacement";
type EditWithBoth = Exclude<EditKind, "omission" | Addition>;

/** One way to read a stretch of a host name as a brand word, with everything that the acceptance rules test. */
import type { BrandWord } from "../brand/brand-words.ts";
import { isOtherLetter, type Host, type HostLabel } from "../names/host.ts";
import { bitsSavedWithoutBrand } from "../segmentation/brand-or-words.ts";
import type { Alignment, Edit } from "./alignment.ts";
import { BrandContext } from "./brand-context.ts";

/**
 * `exact`: every letter is the brand's or looks like it. `typos`: some letters are changed. `homophone`: the
 * stretch is spelled differently and sounds the same.
 */
export type ReadingKind = "exact" | "typos" | "homophone";

export interface Reading {
  kind: ReadingKind;
  word: BrandWord;
  host: Host;
  alignment: Alignment;
  context: BrandContext;
  /** Public suffix of the protected name. */
  suffix: string;
  sameSuffix: boolean;
  /** The stretch of the host's text that is read as the word. */
  found: string;
  /** `found` without hyphens and dots. */
  letters: string;
  /** Edits that change letters; look-alike characters and separators do not count. */
  typos: readonly Edit[];
  /** Edits that count against the tolerance of the word; see `countErrors`. */
  errors: number;
  /**
   * Whether the stretch stands between separators (or digits, if it has none) with no separator of the brand
   * added or left out. The filter tolerates more errors there.
   */
  anchored: boolean;
  /** Whether the stretch is the whole registrable label under the brand's own suffix. */
  exposed: boolean;
}

export function readingOf(given: {
  word: BrandWord;
  host: Host;
  alignment: Alignment;
  /** Public suffix of the protected name. */
  suffix: string;
  kind?: "homophone";
}): Reading {
  const { word, host, alignment, suffix } = given;
  const context = new BrandContext(host, alignment.start, alignment.end);
  const found = host.text.slice(alignment.start, alignment.end);
  const typos = alignment.edits.filter(({ kind }) => kind !== "separator" && kind !== "confusable");
  const sameSuffix = host.parts.suffix === suffix;
  return {
    kind: given.kind ?? (typos.length === 0 ? "exact" : "typos"),
    word,
    host,
    alignment,
    context,
    suffix,
    sameSuffix,
    found,
    letters: found.replace(/[-.]/g, ""),
    typos,
    errors: countErrors(alignment),
    anchored: isAnchored(alignment, context, found),
    exposed: context.wholeLabel && context.registrable && sameSuffix,
  };
}

/**
 * Returns the number of edits that the filter has to tolerate: typos, and pairs of characters that look like one.
 * Single look-alike characters share a character class, so the filter does not notice them.
 */
export function countErrors({ edits }: Alignment): number {
  return edits.filter((edit) => {
    if (edit.kind === "confusable") return edit.found.length !== 1 || edit.expected.length !== 1;
    return edit.kind !== "separator";
  }).length;
}

function isAnchored(alignment: Alignment, context: BrandContext, found: string): boolean {
  if (!context.between) return false;
  const movesSeparator = alignment.edits.some(
    (edit) => edit.kind === "separator" && edit.found.length !== edit.expected.length,
  );
  if (movesSeparator) return false;
  return (context.left === "separator" && context.right === "separator") || !/\d/.test(found);
}

/** Whether the label is below a registered name or a suffix of a hosting service, where anybody can create one. */
export function isAnybodysLabel({ context, host }: Reading): boolean {
  return !context.registrable || host.parts.hosted;
}

/** Returns by how many bits other words explain the text around the stretch better than the brand does. */
export function bitsAgainst({ host, word, alignment }: Reading): number {
  const differences = alignment.edits.map(({ kind }) =>
    kind === "separator" || kind === "confusable" ? kind : "typo",
  );
  const { start, end } = alignment;
  return bitsSavedWithoutBrand({ text: host.text, start, end, brand: word.text, differences });
}

/** Returns the characters of the stretch that are not what they look like, with their index in `folded`. */
export function otherLettersIn({ word, alignment, host }: Reading): { label: HostLabel; index: number }[] {
  const others: { label: HostLabel; index: number }[] = [];
  for (const label of host.labels) {
    if (label.origin === undefined) continue;
    const first = Math.max(0, alignment.start - label.start);
    const end = Math.min(label.folded.length, alignment.end - label.start);
    for (let index = first; index < end; index++) {
      if (isOtherLetter(label, index, word.ownLetters)) others.push({ label, index });
    }
  }
  return others;
}

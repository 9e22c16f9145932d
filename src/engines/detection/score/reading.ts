/** One way to read a stretch of a host name as a brand word, with everything that the acceptance rules test. */
import type { Alignment, Edit } from "../alignment/alignment.ts";
import type { BrandWord } from "../brand/brand-words.ts";
import { isOtherLetter, type Host, type HostLabel } from "../names/host.ts";
import { bitsSavedWithoutBrand } from "../segmentation/brand-or-words.ts";
import { BrandContext } from "./brand-context.ts";

/**
 * `exact`: every letter is the brand's or looks like it. `typos`: some letters are changed. `homophone`: the
 * stretch is spelled differently and sounds the same.
 */
export type ReadingKind = "exact" | "typos" | "homophone";

/** Computes what few rules test when it is first read, because most readings are dropped before. */
export class Reading {
  readonly kind: ReadingKind;
  readonly word: BrandWord;
  readonly host: Host;
  readonly alignment: Alignment;
  readonly context: BrandContext;
  /** Public suffix of the protected name. */
  readonly suffix: string;
  readonly sameSuffix: boolean;
  /** Edits that change letters; look-alike characters and separators do not count. */
  readonly typos: readonly Edit[];
  /** Whether a character, or a pair of them, looks like the brand's and is another one. */
  readonly hasLookAlikes: boolean;
  /** Edits that count against the tolerance of the word; see `countErrors`. */
  readonly errors: number;
  /** Whether the stretch is the whole registrable label under the brand's own suffix. */
  readonly exposed: boolean;
  /** The stretch of the host's text that is read as the word. */
  readonly found: string;
  /** `found` without hyphens and dots. */
  readonly letters: string;
  /**
   * Whether the stretch stands between separators (or digits, if it has none) with no separator of the brand
   * added or left out. The filter tolerates more errors there.
   */
  readonly anchored: boolean;
  #bitsAgainst: number | undefined;

  constructor(given: {
    word: BrandWord;
    host: Host;
    alignment: Alignment;
    /** Public suffix of the protected name. */
    suffix: string;
    kind?: "homophone";
  }) {
    const { word, host, alignment, suffix } = given;
    const typos: Edit[] = [];
    let hasLookAlikes = false;
    let movesSeparators = false;
    for (const edit of alignment.edits) {
      if (isTypo(edit)) typos.push(edit);
      else if (edit.kind === "confusable") hasLookAlikes = true;
      else if (edit.found.length !== edit.expected.length) movesSeparators = true;
    }
    this.typos = typos;
    this.hasLookAlikes = hasLookAlikes;
    this.kind = given.kind ?? (typos.length === 0 ? "exact" : "typos");
    this.word = word;
    this.host = host;
    this.alignment = alignment;
    this.context = new BrandContext(host, alignment.start, alignment.end);
    this.suffix = suffix;
    this.sameSuffix = host.parts.suffix === suffix;
    this.errors = countErrors(alignment);
    this.exposed = this.context.wholeLabel && this.context.registrable && this.sameSuffix;
    const found = host.text.slice(alignment.start, alignment.end);
    this.found = found;
    this.letters = found.includes("-") || found.includes(".") ? found.replace(/[-.]/g, "") : found;
    this.anchored = !movesSeparators && isSetApart(this.context, found);
  }

  /** Number of bits by which other words explain the text around the stretch better than the brand does. */
  get bitsAgainst(): number {
    return (this.#bitsAgainst ??= this.#countBitsAgainst());
  }

  #countBitsAgainst(): number {
    const { host, word, alignment } = this;
    const differences = alignment.edits.map(({ kind }) =>
      kind === "separator" || kind === "confusable" ? kind : "typo",
    );
    const { start, end } = alignment;
    return bitsSavedWithoutBrand({ text: host.text, start, end, brand: word.text, differences });
  }

  /** Returns the same stretch with other edits as its explanation. */
  explainedBy(edits: Edit[]): Reading {
    const { word, host, alignment, suffix } = this;
    return new Reading({ word, host, alignment: { ...alignment, edits }, suffix });
  }
}

/**
 * Returns the number of edits that the filter has to tolerate: typos, and pairs of characters that look like one.
 * Single look-alike characters share a character class, so the filter does not notice them.
 */
export function countErrors({ edits }: Alignment): number {
  let count = 0;
  for (const edit of edits) {
    const isPair = edit.kind === "confusable" && (edit.found.length !== 1 || edit.expected.length !== 1);
    if (isPair || isTypo(edit)) count++;
  }
  return count;
}

function isTypo({ kind }: Edit): boolean {
  return kind !== "separator" && kind !== "confusable";
}

function isSetApart({ between, left, right }: BrandContext, found: string): boolean {
  if (!between) return false;
  return (left === "separator" && right === "separator") || !/\d/.test(found);
}

/** Whether the label is below a registered name or a suffix of a hosting service, where anybody can create one. */
export function isAnybodysLabel({ context, host }: Reading): boolean {
  return !context.registrable || host.parts.hosted;
}

/** Whether letters that are no keywords continue on both sides of the stretch, in a label that is registered. */
export function isAmidLetters(reading: Reading): boolean {
  const { context, found, letters } = reading;
  return (
    context.left === "letter" && context.right === "letter" && found === letters && !isAnybodysLabel(reading)
  );
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

/** Searches names for all words at once: encodes them, and extends the seeds in them. */
import {
  encodeBetweenDigits,
  encodeNames,
  encodeWithoutSeparators,
  newEncodedText,
  type EncodedText,
  type NameRanges,
} from "./encoded-text.ts";
import type { FilterTables } from "./filter-tables.ts";
import { createSeedExtender, type FoundWords } from "./seed-extender.ts";

export interface WordSearch {
  /** The names that were searched last. */
  readonly text: Readonly<EncodedText>;
  /**
   * Searches as many names as there is room for, from index `from` to before `to`. No brand is imitated by a top-level
   * domain, so names should end before it. The next search overwrites the result.
   */
  search(names: NameRanges, from: number, to: number): FoundWords;
  /** Searches the name in the first `length` bytes. */
  searchOne(bytes: Uint8Array, length: number): FoundWords;
}

export function createWordSearch(tables: FilterTables): WordSearch {
  const { marks } = tables;
  const text = newEncodedText();
  const extendSeeds = createSeedExtender(tables);
  const starts = new Int32Array(1);
  const ends = new Int32Array(1);

  function search(names: NameRanges, from: number, to: number): FoundWords {
    encodeNames(text, names, from, to, marks.both);
    if (text.split.count > 0) encodeWithoutSeparators(text, marks.anywhere);
    if (text.numbered.count > 0) encodeBetweenDigits(text, names, from, marks.anchored);
    return extendSeeds(text);
  }

  return {
    text,
    search,
    searchOne(bytes, length) {
      ends[0] = length;
      return search({ bytes, starts, ends }, 0, 1);
    },
  };
}

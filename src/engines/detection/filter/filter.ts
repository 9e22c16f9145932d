/**
 * Prefilter: returns the brand words that a name may contain, which for nearly every name is none, in about a
 * hundred nanoseconds. It has false positives and no false negatives: it never rejects a name in which
 * `scoreName` would find a match.
 *
 * The algorithm is seed and extend. The name is encoded as character classes. Wherever three of them in a row are
 * a seed of some word, the word is compared with the name from the seed outwards to both sides, with as many
 * errors as it tolerates. `seeds.ts` explains why a tolerated match always contains a seed. One table
 * of 32,768 bytes tells for all words at once whether a seed starts a comparison. The place of the seed in the name,
 * and the classes on both sides of it and their places, then reject most words before the comparison.
 *
 * Hundreds of names take each of these steps together (`encoded-text.ts`): with a single name, mispredicted branches and
 * function calls take most of the time.
 *
 * Longer seeds would be rarer, but eight letters with two errors may leave no four together.
 */
import { foldedByte } from "./character-classes.ts";
import { textLengthMax } from "./encoded-text.ts";
import type { FilterTables } from "./filter-tables.ts";
import { createNameScreen } from "./name-screen.ts";
import { createWordSearch } from "./word-search.ts";

/** The first `count` of `words` are indices of words, each once. The next name overwrites them. */
export interface Candidates {
  readonly words: Int32Array;
  count: number;
}

/** @param tables made by `buildTables` */
export function createFilter(tables: FilterTables) {
  const wordSearch = createWordSearch(tables);
  const folded = new Uint8Array(textLengthMax);
  const candidates: Candidates = { words: new Int32Array(tables.wordCount), count: 0 };
  /** Number of the last search that found each word. */
  const lastFound = new Int32Array(tables.wordCount);
  let searchNumber = 0;

  return {
    /** Returns the words that `text`, a folded name without its public suffix, may contain. */
    candidates(text: string) {
      const { words, count } = wordSearch.searchOne(folded, writeBytes(text, folded));
      candidates.count = 0;
      searchNumber = (searchNumber + 1) | 0;
      for (let i = 0; i < count; i++) {
        const word = words[i] ?? 0;
        if (lastFound[word] === searchNumber) continue;
        lastFound[word] = searchNumber;
        candidates.words[candidates.count++] = word;
      }
      return candidates;
    },

    /** Returns which names need `Matcher.match`; see `Matcher.screenNames`. */
    screenNames: createNameScreen(wordSearch),
  };
}

/** Writes one byte for each character of a folded text, and returns their number. */
function writeBytes(text: string, target: Uint8Array): number {
  const length = Math.min(text.length, textLengthMax);
  for (let i = 0; i < length; i++) target[i] = foldedByte(text.charCodeAt(i));
  return length;
}

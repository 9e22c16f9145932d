/** Extends seed hits: compares the words of each seed with the name around it. */
import { addClassSets, kindsShift, margin, placeBits, placeMask, type EncodedName } from "./encoded-name.ts";
import {
  anchoredOnly,
  anywhereOnly,
  entryFields,
  placesMax,
  seedMask,
  wordField,
  type FilterTables,
} from "./filter-tables.ts";
import { isAmidLetters, isBetweenSeparators, lacksTooManyClasses, matches } from "./pattern-tests.ts";
import { seedLength } from "./seeds.ts";

/** The first `count` of `words` are indices of words. The next name overwrites them. */
export interface Candidates {
  readonly words: Int32Array;
  count: number;
}

export interface SeedExtender {
  /** Words found in the current name, each once. */
  readonly candidates: Candidates;
  /**
   * Starts a new name.
   *
   * @param edges its classes with separators, in which digits are separators
   */
  startName(edges: Uint8Array): void;
  /**
   * Compares the words at each seed hit. `kinds` selects anchored patterns, unanchored ones, or both: the name without
   * separators contains everything that a split name contains unanchored, so that is compared only once.
   *
   * @param isOneRun whether the only separators are those before and after the name
   */
  extendSeeds(name: EncodedName, kinds: number, isOneRun: boolean): void;
}

export function createSeedExtender(tables: FilterTables): SeedExtender {
  const { wordCount } = tables;
  const candidates: Candidates = { words: new Int32Array(wordCount), count: 0 };
  const lastSeen = new Int32Array(wordCount);
  /** Number of the current name, so that `lastSeen` needs no clearing. */
  let nameNumber = 0;
  let edges: Uint8Array = new Uint8Array(0);

  function extendSeeds(name: EncodedName, kinds: number, isOneRun: boolean): void {
    const { heads, places } = tables;
    const isPlaced = isOneRun || kinds === anywhereOnly;
    const kept = isPlaced ? keepPlaced(name, kinds, places) : name.hitCount;
    if (kept === 0) return;
    addClassSets(name);
    const { classes, classesBefore, classesAfter, hits, end } = name;
    for (let hit = 0; hit < kept; hit++) {
      const place = hits[hit]! & placeMask;
      const start = place - seedLength + 1;
      const range = 2 * ((hits[hit]! >>> placeBits) & seedMask);
      const kindsHere = isPlaced ? hits[hit]! >>> kindsShift : kinds;
      const setBefore = classesBefore[start]!;
      const setAfter = classesAfter[place]!;
      const first = heads[range + ((kindsHere & anchoredOnly) === 0 ? 1 : 0)]! * entryFields;
      const firstAnywhere = heads[range + 1]! * entryFields;
      const last = heads[range + ((kindsHere & anywhereOnly) === 0 ? 1 : 2)]! * entryFields;
      for (let entry = first; entry < last; entry += entryFields) {
        if (lacksTooManyClasses(tables, entry, setBefore, setAfter)) continue;
        if (entry < firstAnywhere) {
          if (!isBetweenSeparators(tables, entry, classes, start, isOneRun ? end : 0)) continue;
        } else if (isAmidLetters(tables, entry, name, start, edges)) continue;
        extendSeed(entry, classes, start);
      }
    }
  }

  function extendSeed(entry: number, classes: Uint8Array, start: number): void {
    const word = tables.entries[entry + wordField]!;
    if (lastSeen[word] === nameNumber || !matches(tables, entry, classes, start)) return;
    lastSeen[word] = nameNumber;
    candidates.words[candidates.count++] = word;
  }

  return {
    candidates,
    startName(edgesOfName) {
      candidates.count = 0;
      edges = edgesOfName;
      nameNumber = (nameNumber + 1) | 0;
    },
    extendSeeds,
  };
}

/** Keeps the hits at places where a pattern of a kind may match, branch-free like `encodeName`, and returns their number. */
function keepPlaced({ hits, hitCount, end }: EncodedName, kinds: number, places: Int32Array): number {
  const anchored = kinds & anchoredOnly;
  const anywhere = kinds >>> 1;
  let kept = 0;
  for (let hit = 0; hit < hitCount; hit++) {
    const packed = hits[hit]!;
    const place = packed & placeMask;
    const before = Math.min(place - seedLength + 1 - margin, placesMax);
    const after = Math.min(end - place, placesMax);
    const at = 4 * (packed >>> placeBits);
    const anchoredHere = (places[at]! >>> before) & (places[at + 1]! >>> after) & anchored;
    const anywhereHere = (places[at + 2]! >>> before) & (places[at + 3]! >>> after) & anywhere;
    hits[kept] = packed | (anchoredHere << kindsShift) | (anywhereHere << (kindsShift + 1));
    kept += anchoredHere | anywhereHere;
  }
  return kept;
}

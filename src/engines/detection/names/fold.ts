/**
 * Folds a label to its skeleton (UTS #39), with additional confusables. Two labels with equal skeletons can be
 * mistaken for each other. ASCII characters stand for themselves, except that an underscore stands for a hyphen:
 * whether 0 looks like o, or rn like m, depends on the word, so `alignment.ts` weighs that.
 */
import { BoundedMap } from "../../../platform/lib/bounded-map.ts";
import { lazy } from "../../../platform/lib/startup.ts";
import additionalConfusables from "../data/additional-confusables.txt" with { type: "text" };
/** Second readings of letters that are used for two Latin ones. */
import secondReadings from "../data/second-readings.txt" with { type: "text" };
import confusables from "../data/confusables.txt" with { type: "text" };
import { decodeLabel } from "./name.ts";

const foldOf = readTables();
const secondFoldOf = parseConfusables(secondReadings);

/** Returns the text in lower case and decomposed (NFKD), without marks: the part of folding that needs no table. */
export function stripped(text: string): string {
  return text
    .toLowerCase()
    .normalize("NFKD")
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, "")
    .toLowerCase();
}

export interface FoldedLabel {
  /** The label in Unicode form. */
  shown: string;
  /** Its skeleton. */
  folded: string;
  /** For each code unit of `folded`, the index of its code unit in `shown`. Undefined if both are the same. */
  origin: readonly number[] | undefined;
}

/** Returns the folded label, or two of them if it contains letters with a second reading. */
export function foldLabel(label: string): FoldedLabel[] {
  const shown = decodeLabel(label);
  if (!/[^\0-\x7f]/.test(shown)) return [{ shown, folded: shown.replaceAll("_", "-"), origin: undefined }];
  const first = foldWith(shown, false);
  const second = foldWith(shown, true);
  return first.folded === second.folded ? [first] : [first, second];
}

/** Unicode blocks that contain look-alikes of Latin letters: Latin, Greek, Cyrillic and Armenian. */
const letterBlocks: readonly (readonly [first: number, last: number])[] = [
  [0xdf, 0x2af],
  [0x370, 0x58f],
  [0x1d00, 0x1d22],
  [0x1e00, 0x1eff],
  [0x2c60, 0x2c7f],
  [0xa720, 0xa7ff],
];

/** Returns the letters that fold to `letter`, an ASCII letter. */
export function lookAlikeLetters(letter: string): readonly string[] {
  return lettersByFold().get(letter) ?? [];
}

/** Built on first use, because only generation needs it. */
const lettersByFold = lazy((): ReadonlyMap<string, readonly string[]> => {
  const letters = new Map<string, string[]>();
  for (const [first, last] of letterBlocks) {
    for (let point = first; point <= last; point++) {
      const letter = String.fromCodePoint(point);
      if (!/^[\p{Ll}\p{Lo}]$/u.test(letter) || letter !== letter.normalize("NFKC")) continue;
      const fold = foldCharacter(letter, false);
      if (!/^[a-z]$/.test(fold)) continue;
      letters.set(fold, [...(letters.get(fold) ?? []), letter]);
    }
  }
  return letters;
});

/** Maximum number of cached code points. Honest lists contain fewer; the limit bounds the memory for hostile ones. */
const cachedMax = 1 << 14;

/** Returns a cached function that folds a code point in the first or the second reading. */
export function createFoldCache(): (point: number, second: boolean) => string {
  const newCache = () => new BoundedMap<number, string>(cachedMax);
  const caches = [newCache(), newCache()] as const;
  return (point, second) => {
    const cache = caches[second ? 1 : 0];
    return cache.getOrCreate(point, () => foldCharacter(String.fromCodePoint(point), second));
  };
}

function foldWith(shown: string, second: boolean): FoldedLabel {
  let folded = "";
  const origin: number[] = [];
  let at = 0;
  for (const character of shown) {
    const fold = foldCharacter(character, second);
    folded += fold;
    for (let i = 0; i < fold.length; i++) origin.push(at);
    at += character.length;
  }
  return { shown, folded, origin };
}

function foldCharacter(character: string, second: boolean): string {
  if (character <= "\x7f") return character === "_" ? "-" : character.toLowerCase();
  return Array.from(
    stripped(character),
    (part) => (second ? secondFoldOf.get(part) : undefined) ?? foldOf.get(part) ?? part,
  ).join("");
}

function readTables(): Map<string, string> {
  const table = new Map<string, string>();
  for (const line of confusables.split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const [target, ...sources] = line.split(" ");
    const fold = target!.startsWith("=") ? fromHex(target!.slice(1)) : target!;
    for (const source of sources) table.set(fromHex(source), fold);
  }
  for (const [source, target] of parseConfusables(additionalConfusables)) table.set(source, target);
  return table;
}

function parseConfusables(lines: string): Map<string, string> {
  return new Map(
    lines
      .trim()
      .split("\n")
      .filter((line) => !line.startsWith("#"))
      .flatMap((line) => {
        const [target, ...sources] = line.split(" ");
        return sources.map((source): [string, string] => [source, target!]);
      }),
  );
}

function fromHex(points: string): string {
  return String.fromCodePoint(...points.split("+").map((point) => Number.parseInt(point, 16)));
}

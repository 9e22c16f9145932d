import { isCommonWord, isWord } from "../../../engines/detection/data/lexicon.ts";
import { foldLabel } from "../../../engines/detection/names/fold.ts";
import { lazy } from "../../../platform/lib/startup.ts";
import { foldedWords } from "../../lookups/page/fold-text.ts";
import genericText from "./data/generic-words.txt" with { type: "text" };
import topicText from "./data/topic-words.txt" with { type: "text" };

/** Characters without a shape, which kits put between letters so that filters do not find names. */
const shapeless = /\p{Default_Ignorable_Code_Point}+/gu;
/** Scripts that are written without spaces. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const wordLengthMax = 40;
/** Words of a text. One character can become several words when it is folded. */
const wordsMax = 20_000;
/** Characters that are folded at once. */
const pieceLength = 2_000;
/** Names with fewer letters are found only as whole words: three words of two letters contain nearly any of them. */
const spreadNameLengthMin = 6;

/** Returns the folded words of a text; text of scripts without spaces character by character. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  const known = new Map<string, string>();
  for (const piece of piecesOf(text.replace(shapeless, ""))) {
    for (const word of foldedWords(piece)) {
      if (words.length >= wordsMax) return words;
      let folded = known.get(word);
      if (folded === undefined) known.set(word, (folded = foldLookAlikes(word)));
      if (unspaced.test(folded)) words.push(...folded.slice(0, 400));
      else words.push(folded.slice(0, wordLengthMax));
    }
  }
  return words;
}

/** Cuts a text after white space, so that what exceeds the limit of words is not folded: one character can become 18. */
function* piecesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    const space = text.slice(from + pieceLength, from + 2 * pieceLength).search(/\s/);
    const to = from + pieceLength + Math.max(0, space);
    yield text.slice(from, to);
    from = to;
  }
}

/** Replaces letters of other scripts that look like Latin letters, if the word also contains Latin letters. */
function foldLookAlikes(word: string): string {
  if (!/[a-z]/.test(word) || !/[^\0-\x7f]/.test(word) || word.length > wordLengthMax) return word;
  const { folded } = foldLabel(word)[0]!;
  return folded;
}

/** Finds names of a brand in texts. */
export type NameFinder = ReturnType<typeof createNameFinder>;

/** Words in the forms in which names are searched. */
export interface SpacedWords {
  words: readonly string[];
  /** With a space before and after each word. */
  spaced: string;
  /** Without spaces. */
  compact: string;
}

export function spacedWords(words: readonly string[]): SpacedWords {
  return { words, spaced: ` ${words.join(" ")} `, compact: words.join("") };
}

const countMax = 1_000;
/** Clarity of a name that is a word: companies of all kinds have a common one, such as Delta, and some a rare one. */
const wordClarity = { common: 0.35, rare: 0.7 };

/**
 * Finds a name as whole words, also if its words are joined or its letters are separated ("P ay Pal"), as markup
 * between letters leaves them.
 */
export function createNameFinder(names: readonly string[]) {
  const searched = names.map((name) => wordsOf(name)).filter((words) => words.join("").length >= 2);
  const compacts = [...new Set(searched.map((words) => words.join("")))];
  const patterns = compacts.map((compact) => {
    const letters = compact.length >= spreadNameLengthMin ? [...compact].join(" ?") : undefined;
    const spellings = searched.flatMap((words) =>
      words.join("") === compact ? [words.join(" "), compact] : [],
    );
    return {
      compact,
      clarity: isCommonWord(compact) ? wordClarity.common : isWord(compact) ? wordClarity.rare : 1,
      pattern: new RegExp(`(?<= )(?:${letters ?? [...new Set(spellings)].join("|")})(?= )`, "g"),
    };
  });
  return {
    /** Counts the names in words. */
    count({ spaced, compact }: SpacedWords) {
      let total = 0;
      for (const { compact: sought, pattern } of patterns) {
        if (!compact.includes(sought)) continue;
        for (const _match of spaced.matchAll(pattern)) if ((total += 1) >= countMax) return total;
        // Text of scripts without spaces has no boundaries of words.
        if (total === 0 && unspaced.test(sought)) total += 1;
      }
      return total;
    },

    /** How clearly the most telling name in words is the brand's: 1, less for a word of a dictionary, 0 without a name. */
    clarity({ spaced, compact }: SpacedWords) {
      let highest = 0;
      for (const { compact: sought, pattern, clarity } of patterns) {
        if (clarity <= highest || !compact.includes(sought)) continue;
        if (unspaced.test(sought) || spaced.search(pattern) >= 0) highest = clarity;
      }
      return highest;
    },

    /** Words of the names. */
    words: new Set([...searched.flat(), ...compacts]),
  };
}

const genericWords = lazy(() => wordsIn(genericText));
const topicWords = lazy(() => wordsIn(topicText));

function wordsIn(list: string): ReadonlySet<string> {
  const lines = list.split("\n").filter((line) => !line.startsWith("#"));
  return new Set(lines.flatMap((line) => wordsOf(line)));
}

/** Returns whether a word is common on sign-in and payment pages of all kinds, so that it identifies none. */
export function isGeneric(word: string): boolean {
  return /^\d*$/.test(word) || genericWords().has(word) || (word.length === 1 && !unspaced.test(word));
}

/** Returns whether a word beside a name says that a page is about its owner rather than from its owner. */
export function isTopic(word: string): boolean {
  return topicWords().has(word);
}

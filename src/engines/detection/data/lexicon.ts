/**
 * Dictionaries: English words, popular names, and the keywords that phishing names put beside a brand. They show
 * whether the rest of a label is ordinary, and whether a near miss of a brand is a word itself.
 */
import { listText } from "../../../platform/lib/lists/list-texts.ts";
import { lazy } from "../../../platform/lib/startup.ts";
import embeddedCommon from "./common-words.txt" with { type: "text" };
import embeddedKeywords from "./keywords.txt" with { type: "text" };
import embeddedWords from "./words.txt" with { type: "text" };
import { popularNames } from "./popular-names.ts";
import { createWordList } from "./word-list.ts";

// This file is loaded with the first name that is classified, when a data update has replaced its lists.
const commonText = listText("common_words", embeddedCommon);
const keywordText = listText("keywords", embeddedKeywords);
const wordText = listText("words", embeddedWords);

const keywordSections = keywordText
  .split(/^#.*\n/m)
  .map((section) => section.split(/\s+/).filter((word) => word !== ""))
  .filter((section) => section.length > 0);

/** The words that phishing names put beside a brand most often, the most frequent first. */
export const frequentKeywords: readonly string[] = keywordSections[0]!;

const keywords = new Set(keywordSections.flat().filter((word) => !word.includes("-")));
const hiddenKeywordMin = 5;
const pluralOfMin = 4;
const popularLabels = new Set(Array.from(popularNames(), (name) => name.slice(0, name.indexOf("."))));

/** Flags of the words in `wordTrie`. */
const keywordFlag = 1;
const pluralFlag = 2;
const commonFlag = 4;

/** Keywords, their plurals, and common words. */
const wordTrie = lazy(() => {
  const plurals = Array.from(keywords).filter((word) => word.length >= pluralOfMin);
  return createWordTrie([
    ...Array.from(keywords, (word) => [word, keywordFlag] as const),
    ...plurals.map((word) => [`${word}s`, pluralFlag] as const),
    ...Array.from(commonWords(), (word) => [word, commonFlag] as const),
  ]);
});

/** Sample text in which letters follow each other as in host names. */
export const keywordSample: string = [...keywords, ...popularNames()].join(" ");

/** Sample text in which letters follow each other as in words. Without keywords, so that a new one changes no other label. */
export const letterSample: string = commonText.slice(commonText.lastIndexOf("#"));

const wordList = lazy(() =>
  createWordList(wordText.slice(wordText.indexOf("\n", wordText.lastIndexOf("#")) + 1)),
);

export function isKeyword(text: string): boolean {
  return keywords.has(text);
}

export function isPopularLabel(label: string): boolean {
  return popularLabels.has(label);
}

/** Returns the popular names whose first label contains `text`. */
export function popularNamesWith(text: string): string[] {
  return Array.from(popularNames()).filter((name) => name.slice(0, name.indexOf(".")).includes(text));
}

/** Returns whether an English word contains `text`. */
export function isInWords(text: string): boolean {
  return wordList().contains(text);
}

/** Returns whether `text` is an English word. Words have 3 to 14 letters. */
export function isWord(text: string): boolean {
  return wordList().has(text);
}

/**
 * Bits (-log2 of the frequency) of a word in host names, by its class. The lists contain no counts: a list of common
 * words holds half of a text in a few thousand words, the list of all words the other half in tens of thousands.
 */
const wordBits = { keyword: 11, common: 12, short: 14, other: 15 } as const;
const oneLetterWords = Array.from("aei", (letter) => letter.charCodeAt(0));
const oneLetterBits = 9;
const shortWordMax = 3;

/** Words that a text contains from one position on. The next ones overwrite them. */
export type FoundWords = ReturnType<typeof newFoundWords>;

/** More than the number of words and keywords that start at one position. */
const foundMax = 64;

export function newFoundWords() {
  return { lengths: new Uint8Array(foundMax), bits: new Float64Array(foundMax) };
}

/** Writes each word and keyword that `text` contains from `start` on to `found`, and returns their number. */
export function wordsAt(text: string, start: number, { lengths, bits }: FoundWords): number {
  let count = 0;
  if (oneLetterWords.includes(text.charCodeAt(start))) {
    lengths[count] = 1;
    bits[count++] = oneLetterBits;
  }
  if (start + 2 > text.length || !isLetterAt(text, start) || !isLetterAt(text, start + 1)) return count;
  const trie = wordTrie();
  let commonLengths = 0;
  let node = 0;
  for (let length = 1; start + length <= text.length; length++) {
    node = trie.next(node, text.charCodeAt(start + length - 1));
    if (node === 0) break;
    const flags = trie.flags(node);
    if ((flags & commonFlag) !== 0) commonLengths |= 1 << length;
    if ((flags & (keywordFlag | pluralFlag)) === 0 || length === 1) continue;
    lengths[count] = length;
    bits[count++] = length > shortWordMax ? wordBits.keyword : wordBits.short;
  }
  const end = wordList().lengthsAt(text, start, lengths, count);
  for (; count < end; count++) {
    const length = lengths[count]!;
    const isCommon = ((commonLengths >>> length) & 1) === 1;
    bits[count] = length <= shortWordMax ? wordBits.short : isCommon ? wordBits.common : wordBits.other;
  }
  return count;
}

function isLetterAt(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0x61 && code <= 0x7a;
}

const commonWords = lazy(() => new Set(commonText.slice(commonText.lastIndexOf("#")).split("\n")));

/** Returns whether `text` is one of the common English words of four and five letters. */
export function isCommonWord(text: string): boolean {
  return commonWords().has(text);
}

/** Returns the number of longer English words that contain `text`, up to `countMax`. */
export function countWordsAround(text: string, countMax: number): number {
  return wordList().countAround(text, countMax);
}

/** Splits `text` into keywords, from left to right. Returns undefined if anything else is left. */
export function splitIntoKeywords(text: string): string[] | undefined {
  const cuts = cutsInto(text, cutAfterKeywords);
  if (cuts === undefined) return undefined;
  const parts: string[] = [];
  for (let end = text.length; end > 0; end = cuts[end]!) parts.unshift(text.slice(cuts[end]!, end));
  return parts;
}

/** Returns whether `splitIntoKeywords` splits `text`. */
export function consistsOfKeywords(text: string): boolean {
  return cutsInto(text, cutAfterKeywords) !== undefined;
}

/** Splits `text` into keywords, also by the look of its characters: 1ogin, svvap. */
export function readAsKeywords(text: string): string[] | undefined {
  const asWritten = splitIntoKeywords(text);
  if (asWritten !== undefined || !containsLookAlikes(text)) return asWritten;
  const plain = text.replace(/[0345]|vv|rn/g, (found) => letterFor[found]!);
  return splitIntoKeywords(plain.replaceAll("1", "l")) ?? splitIntoKeywords(plain.replaceAll("1", "i"));
}

/** Returns whether `readAsKeywords` has a second way to read `text`. */
function containsLookAlikes(text: string): boolean {
  return /[01345]|vv|rn/.test(text);
}

const letterFor: Readonly<Record<string, string>> = { 0: "o", 3: "e", 4: "a", 5: "s", vv: "w", rn: "m" };

/** Returns a keyword of at least five letters anywhere in `text`. */
export function keywordIn(text: string): string | undefined {
  const trie = wordTrie();
  for (let start = 0; start + hiddenKeywordMin <= text.length; start++) {
    let node = 0;
    for (let end = start; end < text.length;) {
      node = trie.next(node, text.charCodeAt(end++));
      if (node === 0) break;
      const isLong = end - start >= hiddenKeywordMin;
      if (isLong && (trie.flags(node) & keywordFlag) !== 0) return text.slice(start, end);
    }
  }
  return undefined;
}

const madeOfLengthMin = 4;
const madeOfLengthMax = 14;
const twoWordsLengthMin = 7;
const eachWordLengthMin = 3;

/** Returns whether `text` consists of English words and keywords of at least four letters. */
export function isMadeOfWords(text: string): boolean {
  return cutsInto(text, cutAfterLongWords) !== undefined;
}

/** Returns whether `text` consists of two English words or keywords, with at least three letters each. */
export function isTwoWords(text: string): boolean {
  if (text.length < twoWordsLengthMin) return false;
  const count = wordLengthsAt(text, 0, wordLengths);
  for (let i = 0; i < count; i++) {
    const cut = wordLengths[i]!;
    if (cut < eachWordLengthMin || text.length - cut < eachWordLengthMin) continue;
    const rest = text.slice(cut);
    if (isWord(rest) || isKeyword(rest)) return true;
  }
  return false;
}

/** Writes the lengths of the words that start at one position to `lengths`, and returns their number. */
function wordLengthsAt(text: string, start: number, lengths: Uint8Array): number {
  const trie = wordTrie();
  let count = 0;
  let node = 0;
  for (let end = start; end < text.length;) {
    node = trie.next(node, text.charCodeAt(end++));
    if (node === 0) break;
    if ((trie.flags(node) & keywordFlag) !== 0) lengths[count++] = end - start;
  }
  return wordList().lengthsAt(text, start, lengths, count);
}

/** Shared by all searches, because none starts another one before it ends. */
const wordLengths = new Uint8Array(foundMax);

/** Where the last word starts in a split of `text[0, end)`, for each `end`. Negative: there is no such split. */
type Cuts = Int32Array;

/** More than the length of any label. Longer texts get arrays of their own. */
const splitLengthMax = 255;
const sharedCuts: Cuts = new Int32Array(splitLengthMax + 1);

/** Returns the cuts of a text, or undefined if it cannot be split. The next search overwrites them. */
function cutsInto(text: string, cutAfterWords: typeof cutAfterKeywords): Cuts | undefined {
  const cuts = text.length <= splitLengthMax ? sharedCuts : new Int32Array(text.length + 1);
  cuts.fill(-1, 1, text.length + 1);
  for (let start = 0; start < text.length; start++) if (cuts[start]! >= 0) cutAfterWords(text, start, cuts);
  return cuts[text.length]! < 0 ? undefined : cuts;
}

/** Cuts a text after each keyword that starts at one position, unless a longer word ends there. */
function cutAfterKeywords(text: string, start: number, cuts: Cuts): void {
  const trie = wordTrie();
  let node = 0;
  for (let end = start; end < text.length;) {
    node = trie.next(node, text.charCodeAt(end++));
    if (node === 0) break;
    if ((trie.flags(node) & (keywordFlag | pluralFlag)) !== 0 && cuts[end]! < 0) cuts[end] = start;
  }
}

function cutAfterLongWords(text: string, start: number, cuts: Cuts): void {
  const count = wordLengthsAt(text, start, wordLengths);
  for (let i = 0; i < count; i++) {
    const length = wordLengths[i]!;
    if (length < madeOfLengthMin || length > madeOfLengthMax) continue;
    if (cuts[start + length]! < 0) cuts[start + length] = start;
  }
}

/** A trie of a few thousand words, to find all of them that start at one place of a text without cutting it up. */

/** Characters of a text, as `charCodeAt` returns them. */
const codeCount = 0x10000;

/** @param words with their flags, which are at least 1; if a word occurs again, its flags are combined */
export function createWordTrie(words: readonly (readonly [word: string, flags: number])[]) {
  const symbols = new Uint8Array(codeCount);
  let symbolCount = 1;
  let characters = 0;
  for (const [word] of words) {
    characters += word.length;
    for (let i = 0; i < word.length; i++) symbols[word.charCodeAt(i)] ||= symbolCount++;
  }
  // A data update may replace the lists by ones that need more nodes.
  const NodeArray = characters < 2 ** 16 ? Uint16Array : Uint32Array;
  const nodes = new NodeArray((characters + 1) * symbolCount);
  const flagsOf = new Uint8Array(characters + 1);
  let nodeCount = 1;
  for (const [word, flags] of words) {
    let node = 0;
    for (let i = 0; i < word.length; i++) {
      const at = node * symbolCount + symbols[word.charCodeAt(i)]!;
      node = nodes[at] ||= nodeCount++;
    }
    flagsOf[node]! |= flags;
  }
  return {
    /** Returns the node of one more character below `node`, or 0 if no word continues with it. The root is node 0. */
    // No word contains symbol 0, so its node is 0.
    next: (node: number, code: number) => nodes[node * symbolCount + symbols[code]!]!,

    /** Returns the flags of the word that ends at the node, or 0 if none ends there. */
    flags: (node: number) => flagsOf[node]!,
  };
}

/**
 * Dictionaries: English words, popular names, and the keywords that phishing names put beside a brand. They show
 * whether the rest of a label is ordinary, and whether a near miss of a brand is a word itself.
 */
import { listText } from "../../lib/lists/list-texts.ts";
import { lazy } from "../../lib/startup.ts";
import embeddedCommon from "./common-words.txt" with { type: "text" };
import embeddedKeywords from "./keywords.txt" with { type: "text" };
import embeddedWords from "./words.txt" with { type: "text" };
import { popularNames } from "./popular-names.ts";

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
const keywordLengthMax = Math.max(...Array.from(keywords, (word) => word.length));
const hiddenKeywordMin = 5;
const pluralOfMin = 4;
/** Keywords and their plurals. */
const keywordForms = new Set([
  ...keywords,
  ...Array.from(keywords, (word) => (word.length < pluralOfMin ? word : `${word}s`)),
]);
const popularLabels = new Set(Array.from(popularNames(), (name) => name.slice(0, name.indexOf("."))));

/** Keywords and their plurals, by their first two letters. */
const keywordsByStart = lazy(() => Map.groupBy(keywordForms, (word) => pairAt(word, 0)));

/** Sample text in which letters follow each other as in host names. */
export const keywordSample: string = [...keywords, ...popularNames()].join(" ");

/** Sample text in which letters follow each other as in words. */
export const letterSample: string = `${commonText.slice(commonText.lastIndexOf("#"))} ${[...keywords].join(" ")}`;

/** Searched in place, because a set of 70,000 strings would delay the start of every command. */
const wordLines = wordText.slice(wordText.lastIndexOf("#"));

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
  return wordLines.includes(text);
}

/** Returns whether `text` is an English word. Words have 3 to 14 letters. Binary search. */
export function isWord(text: string): boolean {
  const starts = wordStarts();
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    const order = compareWith(text, starts[middle]!);
    if (order === 0) return true;
    if (order > 0) low = middle + 1;
    else high = middle;
  }
  return false;
}

/** Offsets at which the lines of words start, and the end of the text. */
const wordStarts = lazy(() => {
  const starts: number[] = [];
  let at = wordLines.indexOf("\n") + 1;
  for (; at > 0 && at < wordLines.length; at = wordLines.indexOf("\n", at) + 1) starts.push(at);
  return Int32Array.from([...starts, wordLines.length]);
});

/** Returns a number below, equal to or above 0, as `text` sorts before, equals or sorts after the word at `start`. */
function compareWith(text: string, start: number): number {
  for (let i = 0; i < text.length; i++) {
    const difference = text.charCodeAt(i) - wordLines.charCodeAt(start + i);
    if (difference !== 0) return difference;
  }
  // A line feed sorts before all letters.
  return wordLines.charCodeAt(start + text.length) === lineFeed ? 0 : -1;
}

const lineFeed = 0x0a;

/**
 * Bits (-log2 of the frequency) of a word in host names, by its class. The lists contain no counts: a list of common
 * words holds half of a text in a few thousand words, the list of all words the other half in tens of thousands.
 */
const wordBits = { keyword: 11, common: 12, short: 14, other: 15 } as const;
const oneLetterWords = ["a", "i", "e"];
const oneLetterBits = 9;
const shortWordMax = 3;

/** Calls `found` with the length and the bits of each word and keyword that `text` contains from `start`. */
export function wordsAt(text: string, start: number, found: (length: number, bits: number) => void): void {
  if (oneLetterWords.includes(text[start]!)) found(1, oneLetterBits);
  const pair = pairAt(text, start);
  if (pair < 0) return;
  for (const keyword of keywordsByStart().get(pair) ?? []) {
    if (!text.startsWith(keyword, start)) continue;
    found(keyword.length, keyword.length > shortWordMax ? wordBits.keyword : wordBits.short);
  }
  const starts = wordStarts();
  let low = firstOfPair()[pair]!;
  let high = firstOfPair()[pair + 1]!;
  // Narrows the range of words to those that start with one more letter of the text.
  for (let length = 2; low < high; length++) {
    if (length > 2 && wordLines.charCodeAt(starts[low]! + length) === lineFeed) {
      found(length, bitsOfWord(text.slice(start, start + length)));
    }
    if (start + length >= text.length) return;
    const code = text.charCodeAt(start + length);
    low = firstFrom(low, high, length, code);
    high = firstFrom(low, high, length, code + 1);
  }
}

function bitsOfWord(word: string): number {
  if (word.length <= shortWordMax) return wordBits.short;
  return commonWords().has(word) ? wordBits.common : wordBits.other;
}

/** firstOfPair[26 * first + second]: the first word that starts with these two letters or sorts after them. */
const firstOfPair = lazy(() => {
  const count = wordStarts().length - 1;
  const firsts = Array.from({ length: letters * letters }, (_, pair) => {
    const first = codeOfA + Math.floor(pair / letters);
    const [low, high] = [firstFrom(0, count, 0, first), firstFrom(0, count, 0, first + 1)];
    return firstFrom(low, high, 1, codeOfA + (pair % letters));
  });
  return Int32Array.from([...firsts, count]);
});

const letters = 26;
const codeOfA = 0x61;

/** Returns the number of two letters in `firstOfPair`, or -1 if the text has no two letters from `start`. */
function pairAt(text: string, start: number): number {
  const first = text.charCodeAt(start) - codeOfA;
  const second = text.charCodeAt(start + 1) - codeOfA;
  return first >= 0 && first < letters && second >= 0 && second < letters ? letters * first + second : -1;
}

/** Returns the first word from `low` to before `high` whose character at `index` is at least `code`, or `high`. */
function firstFrom(low: number, high: number, index: number, code: number): number {
  const starts = wordStarts();
  while (low < high) {
    const middle = (low + high) >> 1;
    if (wordLines.charCodeAt(starts[middle]! + index) < code) low = middle + 1;
    else high = middle;
  }
  return low;
}

const commonWords = lazy(() => new Set(commonText.slice(commonText.lastIndexOf("#")).split("\n")));

/** Returns whether `text` is one of the common English words of four and five letters. */
export function isCommonWord(text: string): boolean {
  return commonWords().has(text);
}

/** Returns the number of longer English words that contain `text`, up to `countMax`. */
export function countWordsAround(text: string, countMax: number): number {
  let count = 0;
  for (let at = wordLines.indexOf(text); at >= 0 && count < countMax; at = wordLines.indexOf(text, at + 1)) {
    if (wordLines[at - 1] !== "\n" || wordLines[at + text.length] !== "\n") count++;
  }
  return count;
}

/** Splits `text` into keywords, from left to right. Returns undefined if anything else is left. */
export function splitIntoKeywords(text: string): string[] | undefined {
  return splitInto(text, keywordLengthMax, (part) => keywordForms.has(part));
}

/** Splits `text` into keywords, also by the look of its characters: 1ogin, svvap. */
export function readAsKeywords(text: string): string[] | undefined {
  const asWritten = splitIntoKeywords(text);
  if (asWritten !== undefined || !containsLookAlikes(text)) return asWritten;
  const plain = text.replace(/[0345]|vv|rn/g, (found) => letterFor[found]!);
  return splitIntoKeywords(plain.replaceAll("1", "l")) ?? splitIntoKeywords(plain.replaceAll("1", "i"));
}

/** Returns whether `readAsKeywords` has a second way to read `text`. */
export function containsLookAlikes(text: string): boolean {
  return /[01345]|vv|rn/.test(text);
}

const letterFor: Readonly<Record<string, string>> = { 0: "o", 3: "e", 4: "a", 5: "s", vv: "w", rn: "m" };

/** Returns a keyword of at least five letters anywhere in `text`. */
export function keywordIn(text: string): string | undefined {
  for (let start = 0; start + hiddenKeywordMin <= text.length; start++) {
    for (let end = start + hiddenKeywordMin; end <= Math.min(text.length, start + keywordLengthMax); end++) {
      if (keywords.has(text.slice(start, end))) return text.slice(start, end);
    }
  }
  return undefined;
}

/** Returns whether `text` consists of English words and keywords of at least four letters. */
export function isMadeOfWords(text: string): boolean {
  return splitInto(text, 14, (part) => part.length >= 4 && (isWord(part) || isKeyword(part))) !== undefined;
}

/** Returns whether `text` consists of two such words, with at least three letters each. */
export function isTwoWords(text: string): boolean {
  const known = (part: string): boolean => isWord(part) || isKeyword(part);
  const cuts = Array.from({ length: Math.max(0, text.length - 5) }, (_, index) => index + 3);
  return text.length >= 7 && cuts.some((cut) => known(text.slice(0, cut)) && known(text.slice(cut)));
}

function splitInto(text: string, lengthMax: number, known: (part: string) => boolean): string[] | undefined {
  // cut[i]: start of the last word in a split of text[0, i). Longer words are preferred.
  const cut: (number | undefined)[] = [0];
  for (let end = 1; end <= text.length; end++) {
    for (let start = Math.max(0, end - lengthMax); start < end; start++) {
      if (cut[start] === undefined || !known(text.slice(start, end))) continue;
      cut[end] = start;
      break;
    }
  }
  if (cut[text.length] === undefined) return undefined;
  const parts: string[] = [];
  for (let end = text.length; end > 0; end = cut[end]!) parts.unshift(text.slice(cut[end]!, end));
  return parts;
}

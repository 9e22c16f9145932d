/**
 * Words that are not the brand's: the English language, well-known names, and what phishing names put beside
 * a brand. They decide whether the rest of a label explains itself, and whether a near miss is a word of its
 * own.
 */
import commonText from "./common-words.txt" with { type: "text" };
import keywordText from "./keywords.txt" with { type: "text" };
import popularText from "./popular-names.txt" with { type: "text" };
import wordText from "./words.txt" with { type: "text" };
import { lazy } from "../../lib/startup.ts";

const keywords = new Set(
  keywordText
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .flatMap((line) => line.split(" "))
    .filter((word) => word !== ""),
);
const keywordLengthMax = Math.max(...Array.from(keywords, (word) => word.length));
const hiddenKeywordMin = 5;
const pluralOfMin = 4;
/** Keywords and their plurals. */
const keywordForms = new Set([
  ...keywords,
  ...Array.from(keywords, (word) => (word.length < pluralOfMin ? word : `${word}s`)),
]);
const popularNames = new Set(popularText.split("\n").filter((line) => line !== "" && !line.startsWith("#")));
const popularLabels = new Set(Array.from(popularNames, (name) => name.slice(0, name.indexOf("."))));

/** Text in which letters follow upon each other as in host names. */
export const keywordSample: string = [...keywords, ...popularNames].join(" ");

/** Searched where it lies: a set of 70,000 strings would cost the start of every command. */
const wordLines = wordText.slice(wordText.lastIndexOf("#"));

export function isKeyword(text: string): boolean {
  return keywords.has(text);
}

export function isPopularName(registrableDomain: string): boolean {
  return popularNames.has(registrableDomain);
}

export function isPopularLabel(label: string): boolean {
  return popularLabels.has(label);
}

/** Popular names whose first label holds `text`. */
export function popularNamesWith(text: string): string[] {
  return Array.from(popularNames).filter((name) => name.slice(0, name.indexOf(".")).includes(text));
}

/** Whether `text` stands in any English word. */
export function isInWords(text: string): boolean {
  return wordLines.includes(text);
}

/** Whether `text` is an English word; words have 3 to 14 letters. */
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

/** Where each line of words starts, and where another would. */
const wordStarts = lazy(() => {
  const starts: number[] = [];
  let at = wordLines.indexOf("\n") + 1;
  for (; at > 0 && at < wordLines.length; at = wordLines.indexOf("\n", at) + 1) starts.push(at);
  return Int32Array.from([...starts, wordLines.length]);
});

/** Below 0, 0 or above: `text` stands before the word that starts there, is it, or stands behind it. */
function compareWith(text: string, start: number): number {
  for (let i = 0; i < text.length; i++) {
    const difference = text.charCodeAt(i) - wordLines.charCodeAt(start + i);
    if (difference !== 0) return difference;
  }
  // The line feed is below all letters.
  return wordLines.charCodeAt(start + text.length) === lineFeed ? 0 : -1;
}

const lineFeed = 0x0a;

/** Whether `text` is one of the common English words of four and five letters. */
export function isCommonWord(text: string): boolean {
  return commonText.includes(`\n${text}\n`);
}

/** How many English words contain `text` without being it, at most `countMax`. */
export function countWordsAround(text: string, countMax: number): number {
  let count = 0;
  for (let at = wordLines.indexOf(text); at >= 0 && count < countMax; at = wordLines.indexOf(text, at + 1)) {
    if (wordLines[at - 1] !== "\n" || wordLines[at + text.length] !== "\n") count++;
  }
  return count;
}

/** The keywords that `text` is made of, from left to right, or undefined when something is left over. */
export function splitIntoKeywords(text: string): string[] | undefined {
  return splitInto(text, keywordLengthMax, (part) => keywordForms.has(part));
}

/** The same, letters being taken for what they look like: 1ogin, svvap. */
export function readAsKeywords(text: string): string[] | undefined {
  const read = splitIntoKeywords(text);
  if (read !== undefined || !holdsLookAlikes(text)) return read;
  const plain = text.replace(/[0345]|vv|rn/g, (found) => lookedAt[found]!);
  return splitIntoKeywords(plain.replaceAll("1", "l")) ?? splitIntoKeywords(plain.replaceAll("1", "i"));
}

/** Whether `readAsKeywords` reads `text` in another way, too. */
export function holdsLookAlikes(text: string): boolean {
  return /[01345]|vv|rn/.test(text);
}

const lookedAt: Readonly<Record<string, string>> = { 0: "o", 3: "e", 4: "a", 5: "s", vv: "w", rn: "m" };

/** A keyword of at least five letters somewhere in `text`. */
export function keywordIn(text: string): string | undefined {
  for (let start = 0; start + hiddenKeywordMin <= text.length; start++) {
    for (let end = start + hiddenKeywordMin; end <= Math.min(text.length, start + keywordLengthMax); end++) {
      if (keywords.has(text.slice(start, end))) return text.slice(start, end);
    }
  }
  return undefined;
}

/** Whether `text` is made of English words and keywords of at least four letters. */
export function isMadeOfWords(text: string): boolean {
  return splitInto(text, 14, (part) => part.length >= 4 && (isWord(part) || isKeyword(part))) !== undefined;
}

/** Whether `text` is two of them, one of which may have but three letters. */
export function isTwoWords(text: string): boolean {
  const known = (part: string): boolean => isWord(part) || isKeyword(part);
  const cuts = Array.from({ length: Math.max(0, text.length - 5) }, (_, index) => index + 3);
  return text.length >= 7 && cuts.some((cut) => known(text.slice(0, cut)) && known(text.slice(cut)));
}

function splitInto(text: string, lengthMax: number, known: (part: string) => boolean): string[] | undefined {
  // cut[i]: where the last word of a split of text[0, i) starts; longer words are preferred.
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

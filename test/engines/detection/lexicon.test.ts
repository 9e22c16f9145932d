/** Compares the searches of the lexicon with naive ones over sets of its words. */
import { expect, test } from "bun:test";
import {
  isKeyword,
  isMadeOfWords,
  isTwoWords,
  isWord,
  keywordIn,
  newFoundWords,
  splitIntoKeywords,
  wordsAt,
  createWordTrie,
} from "../../../src/engines/detection/data/lexicon.ts";
import keywordText from "../../../src/engines/detection/data/keywords.txt" with { type: "text" };
import wordText from "../../../src/engines/detection/data/words.txt" with { type: "text" };
import { randomFrom, seed } from "../../support/random.ts";

const textCount = 2_000;

const dictionary = new Set(wordText.split("\n").filter((line) => !line.startsWith("#") && line !== ""));
const keywords = new Set(
  keywordText
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .flatMap((line) => line.split(" "))
    .filter((word) => word !== "" && !word.includes("-")),
);
const plurals = new Set(Array.from(keywords).flatMap((word) => (word.length < 4 ? [] : [`${word}s`])));

/** Texts of words and keywords with a letter changed here and there, so that many of them almost fit. */
function* texts(): Generator<string> {
  const pieces = [...dictionary, ...keywords, ...keywords, ...plurals];
  const below = randomFrom(seed);
  for (let i = 0; i < textCount; i++) {
    const words = Array.from({ length: 1 + below(3) }, () => pieces[below(pieces.length)]!);
    const text = words.join(["", "", "7", "é"][below(4)]);
    const at = below(text.length);
    yield below(3) > 0 ? text : text.slice(0, at) + "aeiz-1"[below(6)]! + text.slice(at + 1);
  }
}

/** Splits by trying the longest last word first. */
function naiveSplit(text: string, isKnown: (part: string) => boolean): string[] | undefined {
  const splits: (string[] | undefined)[] = [[]];
  for (let end = 1; end <= text.length; end++) {
    const start = Array.from({ length: end }, (_, at) => at).find(
      (at) => splits[at] !== undefined && isKnown(text.slice(at, end)),
    );
    splits[end] = start === undefined ? undefined : [...splits[start]!, text.slice(start, end)];
  }
  return splits[text.length];
}

function slicesOf(text: string): string[] {
  return Array.from(text, (_, start) =>
    Array.from(text.slice(start), (_last, i) => text.slice(start, start + i + 1)),
  ).flat();
}

test("the lexicon finds the same words and splits as a search over sets", () => {
  const isKnown = (part: string): boolean => dictionary.has(part) || keywords.has(part);
  for (const text of texts()) {
    const naive = {
      word: dictionary.has(text),
      split: naiveSplit(text, (part) => keywords.has(part) || plurals.has(part)),
      hidden: slicesOf(text).find((part) => part.length >= 5 && keywords.has(part)),
      words: naiveSplit(text, (part) => part.length >= 4 && part.length <= 14 && isKnown(part)) !== undefined,
      two:
        text.length >= 7 &&
        Array.from(text).some(
          (_, at) => at > 2 && at < text.length - 2 && isKnown(text.slice(0, at)) && isKnown(text.slice(at)),
        ),
    };
    const found = {
      word: isWord(text),
      split: splitIntoKeywords(text),
      hidden: keywordIn(text),
      words: isMadeOfWords(text),
      two: isTwoWords(text),
    };
    expect({ seed, text, ...found }).toEqual({ seed, text, ...naive });
  }
});

test("every word and keyword that starts at a position is found there", () => {
  const found = newFoundWords();
  const lengths = Array.from(found.lengths.subarray(0, wordsAt("accountantsx", 0, found)));
  // "account", its plural and "accountant" are keywords or words; "a" is a word of one letter.
  expect(new Set(lengths)).toEqual(new Set([1, 7, 10, 11]));
  expect([isKeyword("account"), isWord("accountants"), isWord("accountantsx"), isWord("")]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test("a trie of more words than the embedded lists have finds each of them", () => {
  const wordAt = (index: number) => Array.from(index.toString(4).padStart(9, "0")).reverse().join("");
  const trie = createWordTrie(Array.from({ length: 40_000 }, (_, index) => [wordAt(index), 1 + (index % 7)]));
  const flagsOf = (word: string) =>
    trie.flags(Array.from(word).reduce((node, character) => trie.next(node, character.charCodeAt(0)), 0));
  const indices = Array.from({ length: 40_000 }, (_, index) => index);
  expect(indices.filter((index) => flagsOf(wordAt(index)) !== 1 + (index % 7))).toEqual([]);
});

import { expect, test } from "bun:test";
import {
  createNameFinder,
  isTopic,
  spacedWords,
  wordsOf,
} from "../../../../src/facts/inspection/measures/text-words.ts";
import { randomFrom, seed } from "../../../support/random.ts";

console.log(`seed ${seed}`);

test("a long text has the same words as its parts, wherever it is cut to be folded", () => {
  const random = randomFrom(seed);
  const words = Array.from({ length: 3_000 }, (_, index) => "x".repeat(1 + random(12)) + index);
  expect(wordsOf(words.join(" "))).toEqual(words);
  expect(wordsOf("字".repeat(300))).toHaveLength(300);
});

test("a text of characters that fold to many words gives a limited number of them", () => {
  expect(wordsOf("\ufdfa".repeat(60_000))).toHaveLength(20_000);
});

test("a name that is a common word says less than a rare word, and that less than a made-up name", () => {
  const clarityOf = (name: string, text: string) =>
    createNameFinder([name]).clarity(spacedWords(wordsOf(text)));
  const found = ["delta", "orchard", "examplebank"].map((name) => clarityOf(name, `Log in to ${name}`));
  expect(found).toEqual([0.35, 0.7, 1]);
  expect(clarityOf("examplebank", "Log in to Orchid Florists")).toBe(0);
});

test("words such as reviews, forum and fans say that a page is about a brand", () => {
  expect(["reviews", "forum", "fans", "bewertungen"].map(isTopic)).toEqual([true, true, true, true]);
  expect(["login", "account", "security"].map(isTopic)).toEqual([false, false, false]);
});

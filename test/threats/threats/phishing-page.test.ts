import { describe, expect, test } from "bun:test";
import { isPhishingPage, looksLikeOriginal } from "../../../src/threats/threats/severity/phishing-page.ts";

const page = { asksForPassword: true, asksForCard: false, namesBrand: true, redirectsToProtected: false };

describe("isPhishingPage", () => {
  test.each<[string, Partial<typeof page> & { visualSimilarity?: number }, boolean]>([
    ["a page that asks for a password and names the brand", {}, true],
    [
      "a page that asks for a card number and names the brand",
      { asksForPassword: false, asksForCard: true },
      true,
    ],
    [
      "a page that asks for a password and looks like the original",
      { namesBrand: false, visualSimilarity: 0.75 },
      true,
    ],
    ["a page that asks for nothing", { asksForPassword: false, visualSimilarity: 1 }, false],
    ["a login page of another brand", { namesBrand: false, visualSimilarity: 0.7 }, false],
    ["a login page that was not compared", { namesBrand: false }, false],
    ["the brand's own login page", { redirectsToProtected: true, visualSimilarity: 1 }, false],
  ])("classifies %s", (_, given, expected) => {
    expect(isPhishingPage({ ...page, ...given })).toBe(expected);
  });
});

test("looksLikeOriginal requires a comparison and tolerates small differences", () => {
  expect(
    [undefined, 0, 0.74, 0.75, 1].map((visualSimilarity) => looksLikeOriginal({ visualSimilarity })),
  ).toEqual([false, false, false, true, true]);
});

import { describe, expect, test } from "bun:test";
import { createNameComparison, type NamePart } from "../../../src/engines/detection/match/compare-names.ts";
import { displayName, normalizeName } from "../../../src/engines/detection/names/name.ts";
import { encode as encodePunycode } from "node:punycode";
import { permutations } from "../../../src/engines/detection/generate/permutations.ts";

const compare = createNameComparison();

function nameOf(text: string): string {
  const normalized = normalizeName(text);
  if ("error" in normalized) throw new Error(normalized.error);
  return normalized.name;
}

function partsOf(suspicious: string, protectedName: string, keywords: string[] = []): NamePart[] {
  return compare(nameOf(suspicious), nameOf(protectedName), keywords).parts;
}

/** Renders the parts: equal text as it is, others as `{kind found|expected}`. */
function rendered(suspicious: string, protectedName: string, keywords: string[] = []): string {
  return partsOf(suspicious, protectedName, keywords)
    .map(({ kind, found, expected }) => (kind === "same" ? found : `{${kind} ${found}|${expected}}`))
    .join("");
}

describe("the comparison of two names", () => {
  test.each([
    ["examp1e-bank.com", "examp{confusable 1|l}e-bank.com"],
    ["exаmple-bank.com", "ex{confusable а|a}mple-bank.com"],
    ["exarnple-bank.com", "exa{confusable rn|m}ple-bank.com"],
    ["exæmple-bank.com", "ex{confusable æ|a}mple-bank.com"],
    ["exmple-bank.com", "ex{missing |a}mple-bank.com"],
    ["examplee-bank.com", "exampl{added e|}e-bank.com"],
    ["eexample-bank.com", "e{added e|}xample-bank.com"],
    ["exapmle-bank.com", "exa{changed pm|mp}le-bank.com"],
    ["examplebank.com", "example{missing |-}bank.com"],
    ["example-bank.net", "example-bank.{changed net|com}"],
    ["example-bank.com.evil.net", "example-bank.com{added .evil.net|}"],
    [
      "secure-examplebank-login.pages.dev",
      "{added secure-|}example{missing |-}bank{added -login|}.{changed pages.dev|com}",
    ],
    ["nothing-alike.org", "{changed nothing-alike.org|example-bank.com}"],
    ["com.br", "{changed com.br|example-bank.com}"],
  ])("%s compares as %s", (suspicious, expected) => {
    expect(rendered(suspicious, "example-bank.com")).toBe(expected);
  });

  test("the comparison gives code point and script of a foreign letter, in both forms of the name", () => {
    for (const name of ["exаmple-bank.com", `xn--${encodePunycode("exаmple-bank")}.com`]) {
      const [, other] = partsOf(name, "example-bank.com");
      expect(other!.characters).toEqual([
        { shown: "\u0430", codePoint: "U+0430", description: "Cyrillic letter" },
      ]);
    }
  });

  test("letters beyond ASCII in the protected name itself are not confusable", () => {
    expect(rendered("bücher.com", "bücher.de")).toBe("bücher.{changed com|de}");
    expect(rendered("bucher.de", "bücher.de")).toBe("b{confusable u|ü}cher.de");
  });

  test("the comparison names the closest keyword and the text around it", () => {
    expect(compare("exbank24.com", "example-bank.com", ["exbank"])).toMatchObject({
      word: "exbank",
      isKeyword: true,
    });
    expect(rendered("exbank24.com", "example-bank.com", ["exbank"])).toBe("exbank{added 24.com|}");
  });

  test("invisible characters are escaped", () => {
    // Such names are invalid, but occur in DNS.
    const label = `pay\u200dpa\u202el`;
    const { parts } = compare(`xn--${encodePunycode(label)}.com`, "paypal.com");
    const found = parts.map((part) => part.found).join("");
    expect(found).not.toMatch(/\p{Default_Ignorable_Code_Point}|\p{Cc}|\p{Cf}/u);
    expect(found).toBe("pay\\u{200d}pa\\u{202e}l.com");
  });

  test("the parts contain all of the suspicious name and, unless a part is added, all of the protected name", () => {
    const protectedName = "example-bank.com";
    const guarded = { domain: protectedName, keywords: [], allow: [] };
    const names = [...permutations(guarded, { minSimilarity: 0.75, limit: 1_500 })].map(({ name }) => name);
    expect(names.length).toBeGreaterThan(1_000);
    for (const name of names) {
      const { parts, isKeyword } = compare(name, protectedName);
      expect(parts.map(({ found }) => found).join("")).toBe(displayName(name));
      const expected = parts.map((part) => part.expected).join("");
      if (!isKeyword && !parts.some(({ kind }) => kind === "added")) expect(expected).toBe(protectedName);
      for (const { kind, found, expected: wanted } of parts) {
        expect(kind === "same").toBe(found === wanted);
        expect([found === "", wanted === ""]).toEqual([kind === "missing", kind === "added"]);
      }
    }
  });
});

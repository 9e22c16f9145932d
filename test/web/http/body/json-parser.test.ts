import { describe, expect, test } from "bun:test";
import { JsonParser, TooManyValues, type JsonLimits } from "../../../../src/web/http/body/json-parser.ts";
import { randomFrom, seed } from "../../../support/random.ts";

const limits: JsonLimits = { valuesMax: 1_000, stringLengthMax: 1_000 };

/** Parses a text in pieces. Returns its value, or the error's message. */
function parse(pieces: Iterable<string>, given: Partial<JsonLimits> = {}): { value: unknown } | string {
  const parser = new JsonParser({ ...limits, ...given });
  try {
    for (const piece of pieces) parser.push(piece);
    return { value: parser.end() };
  } catch (error) {
    return (error as Error).message;
  }
}

function parseNaively(text: string): { value: unknown } | string {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return /^[ \t\r\n]*$/.test(text) ? "The body is empty; send JSON." : "The body is not valid JSON.";
  }
}

describe("the JSON parser", () => {
  test("returns what JSON.parse returns, for valid and invalid documents, however they are split", () => {
    console.log(`TEST_SEED=${seed}`);
    const random = randomFrom(seed);
    const pick = <T>(from: readonly T[]): T => from[random(from.length)]!;
    const strings = ["", "a", "é", "😀", '"', "\\", "\n", "\ud800", "__proto__", "{", "]", "a:b", "\u2028"];
    const scalars = [0, -1, 1.5e300, 1e-7, true, false, null];
    const value = (depth: number): unknown => {
      const kind = random(depth === 0 ? 2 : 4);
      if (kind === 0) return pick(strings);
      if (kind === 1) return pick(scalars);
      const items = Array.from({ length: random(4) }, () => value(depth - 1));
      return kind === 2
        ? items
        : Object.fromEntries(items.map((item, index) => [`${pick(strings)}${index}`, item]));
    };
    const noise = [
      ...'{}[]",:\\ \n0-+.eEtrufalsn\u0000\u00a0',
      "\\u0061",
      "\\u00",
      "01",
      "1.",
      "nul",
      "\ufeff",
    ];
    for (let run = 0; run < 20_000; run += 1) {
      let text = JSON.stringify(value(4), null, pick([0, 0, 1]));
      for (let changes = random(3); changes > 0; changes -= 1) {
        const at = random(text.length + 1);
        text = text.slice(0, at) + pick(noise) + text.slice(at + random(2));
      }
      const pieces: string[] = [];
      for (let from = 0; from < text.length;) {
        const length = 1 + random(run % 2 === 0 ? 3 : 40);
        pieces.push(text.slice(from, from + length));
        from += length;
      }
      const parsed = parse(pieces);
      if (typeof parsed === "string" && /twice/.test(parsed)) continue;
      expect([text, parsed]).toEqual([text, parseNaively(text)]);
    }
  });

  test.each([
    ['{"a":1,"a":2}', "a"],
    ['{"a":1,"b":{"a":1},"\\u0061":2}', "a"],
    ['[{"__proto__":1,"__proto__":2}]', "__proto__"],
    ['{"constructor":1,"constructor":1}', "constructor"],
    [`{"domains":["${"\\\\".repeat(100_000)}"],"domains":[]}`, "domains"],
  ])("rejects the document %p, which has a key twice", (text, key) => {
    expect(parse([text])).toBe(`The body has the key "${key}" twice.`);
  });

  test("accepts names of Object's methods as keys", () => {
    expect(parse(['{"toString":1,"hasOwnProperty":2}'])).toEqual({
      value: { toString: 1, hasOwnProperty: 2 },
    });
  });

  test.each([
    ["keys of one object", (index: number) => `${index === 0 ? "{" : ","}"k${index}":1`, 100],
    ["items of one array", (index: number) => (index === 0 ? "[0" : ",0"), 100],
    ["arrays in an array", (index: number) => (index === 0 ? "[[]" : ",[]"), 100],
  ] as [string, (index: number) => string, number][])(
    "stops at the first of too many %s, and keeps those before",
    (_what, piece, valuesMax) => {
      const parser = new JsonParser({ ...limits, valuesMax });
      let pushed = 0;
      const push = () => {
        for (; ; pushed += 1) parser.push(piece(pushed));
      };
      expect(push).toThrow(TooManyValues);
      expect(pushed).toBeLessThanOrEqual(valuesMax + 1);
    },
  );

  test("stops at the bracket that nests too deeply, and at a number or key that is too long", () => {
    const levels = 33;
    expect(parse(["[".repeat(levels)])).toStartWith("The body is nested more than 32 levels deep");
    expect(parse(['{"a":'.repeat(levels)])).toStartWith("The body is nested more than 32 levels deep");
    expect(parse([`${"[".repeat(32)}${"]".repeat(32)}`])).toBeObject();
    expect(parse(["1".repeat(1_001)])).toStartWith("The body has a number of more than 1000 characters");
    expect(parse(['{"', "k".repeat(16_385)])).toBe("The body is not valid JSON.");
    expect(parse(['{"', "k".repeat(16_385), '":1}'])).toStartWith("The body has a key of more than 16384");
  });

  test("replaces a string that is too long by one that is too long, too, in pieces as well", () => {
    const tooLong = "\ufffd".repeat(11);
    const stringLengthMax = 10;
    expect(parse(['["', "x".repeat(11), '","', "x".repeat(10), '"]'], { stringLengthMax })).toEqual({
      value: [tooLong, "x".repeat(10)],
    });
    const escapes = Array.from({ length: 100 }, () => "\\");
    expect(parse(['["', ...escapes, '"]'], { stringLengthMax })).toEqual({ value: [tooLong] });
  });
});

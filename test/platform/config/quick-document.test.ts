import { expect, test } from "bun:test";
import { parseDocument } from "../../../src/platform/config/toml/document.ts";
import type { TomlNode } from "../../../src/platform/config/toml/document.ts";
import { quickDocument } from "../../../src/platform/config/toml/quick-document.ts";
import { renderExample } from "../../../src/platform/config/render.ts";

/** Another seed is given as TEST_SEED. */
const seed = Number(process.env["TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 32));

/** A tree without what only the careful parser knows: places, how numbers and arrays were written. */
function plain(node: TomlNode): unknown {
  if (node.kind === "table")
    return Object.fromEntries([...node.entries].map(([key, entry]) => [key, plain(entry.node)]));
  if (node.kind === "array") return node.items.map(plain);
  return node.kind === "date" ? node : [node.kind, node.value];
}

function sameOrDoubtful(text: string): "same" | "doubtful" {
  const quick = quickDocument(text);
  if (quick === undefined) return "doubtful";
  const careful = parseDocument(text);
  if (!careful.ok) throw new Error(`only the quick parser takes ${JSON.stringify(text)}`);
  expect(plain(quick)).toEqual(plain(careful.root));
  return "same";
}

test("both parsers read the example to the same tree", () => {
  expect(sameOrDoubtful(renderExample())).toBe("same");
});

test.each([
  ["a float that is a whole number", "a = 1.0"],
  ["one in an array", "a = [1, 2.00]"],
  ["an exponent", "a = 1e3"],
  ["a date", "a = 2026-01-15"],
  ["a number beyond 53 bits", "a = 9007199254740993"],
  ["not a number", "a = nan"],
  ["an escape of TOML 1.1", 'a = "\\e"'],
  ["an inline table over several lines", "a = {\n b = 1 }"],
  ["a comma at the end of an inline table", "a = { b = 1, }"],
  ["no TOML", "a = "],
  ["the same key twice", "a = 1\na = 2"],
  ["a file beyond the limit", `a = "${"x".repeat(70_000)}"`],
])("%s is left to the careful parser", (_, text) => {
  expect(sameOrDoubtful(text)).toBe("doubtful");
});

test(`both parsers agree on every document that the quick one accepts (seed ${seed})`, () => {
  let state = seed >>> 0;
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const pieces = [
    '"',
    "'",
    "[",
    "]",
    "{",
    "}",
    "=",
    ",",
    "\n",
    "1",
    ".",
    "0",
    "e",
    "#",
    "\\",
    "a",
    " ",
    "true",
    "[[feeds]]",
    "-",
    "_",
    "\t",
    "0x1f",
    "é",
  ];
  const original = renderExample();
  let same = 0;
  for (let round = 0; round < 1_000; round += 1) {
    let text = original;
    for (let edit = 0; edit <= random(3); edit += 1) {
      const at = random(text.length);
      text = text.slice(0, at) + pieces[random(pieces.length)]! + text.slice(at + random(3));
    }
    if (sameOrDoubtful(text) === "same") same += 1;
  }
  expect(same).toBeGreaterThan(100);
});

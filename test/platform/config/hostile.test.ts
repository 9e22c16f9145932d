import { expect, test } from "bun:test";
import { renderExample } from "../../../src/platform/config/render.ts";
import { configBytesMax, formatConfigError } from "../../../src/platform/config/load.ts";
import { load } from "./helper.ts";

/** Another seed is given as TEST_SEED. */
const seed = Number(process.env["TEST_SEED"] ?? Math.floor(Math.random() * 2 ** 32));

/** mulberry32: small and good enough to choose edits; the same seed gives the same edits. */
function randomFrom(start: number): (below: number) => number {
  let state = start >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;
const pieces = [
  '"',
  "'",
  '"""',
  "[",
  "]",
  "[[",
  "{",
  "}",
  "=",
  ".",
  ",",
  "#",
  "\n",
  "\r",
  "\\",
  "-",
  "_",
  "\u0000",
  "\u202e",
  "\u200b",
  "\ud800",
  "é",
  "😀",
  "0",
  "9",
  "1e999",
  "nan",
  "1979-05-27",
  "true",
  "__proto__",
  " ",
  "\t",
  "whsec_",
  "http://",
  "::",
  "*",
  "a".repeat(300),
  "env",
  "file",
];

test(`random edits of the example give errors or a configuration, never an exception (seed ${seed})`, () => {
  const random = randomFrom(seed);
  const example = renderExample().replaceAll(/^#(?=\S)/gm, "");
  const env = { PHISHWATCH_CI_KEY: "k".repeat(40), PHISHWATCH_SOC_SECRET: "s".repeat(40) };
  let faulty = 0;
  for (let round = 0; round < 200; round++) {
    let text = example;
    for (let edit = 0; edit <= random(4); edit++) {
      const start = random(text.length);
      const length = random(3) === 0 ? random(40) : random(2);
      const inserted =
        random(4) === 0
          ? text.slice(random(text.length)).slice(0, random(60))
          : pieces[random(pieces.length)]!;
      text = text.slice(0, start) + inserted + text.slice(start + length);
    }
    const result = load(text, { env });
    if (result.ok) continue;
    faulty++;
    expect(result.errors.length).toBeGreaterThan(0);
    for (const error of result.errors) {
      expect(formatConfigError(error)).not.toMatch(hidden);
      expect(error.found.length).toBeLessThanOrEqual(100);
      expect(error.line === undefined || error.line <= text.split("\n").length).toBe(true);
    }
  }
  expect(faulty).toBeGreaterThan(66);
});

/** A quarter of what is accepted, to keep the tests quick. */
const many = (piece: string) => piece.repeat(Math.floor(configBytesMax / 4 / piece.length));

// The time limit of the test is generous for a slow machine: quadratic work of this size takes longer.
test.each([
  ["open brackets", `a = ${many("[")}`],
  ["nested arrays", `a = ${"[".repeat(120_000)}${"]".repeat(120_000)}`],
  ["nested tables", many("a={")],
  ["a dotted key", `${many("a.")}a = 1`],
  ["unknown keys", Array.from({ length: 20_000 }, (_, index) => `key${index} = 1`).join("\n")],
  ["unknown tables", Array.from({ length: 15_000 }, (_, index) => `[a.b${index}]`).join("\n")],
  ["entries", many("[[feeds]]\nname='a'\n")],
  ["a long string", `[server]\nlisten = "${many("1:")}"`],
  ["a long duration", `[webhooks]\ntimeout = "${"1h".repeat(40_000)}"`],
  ["a long schedule", `[scan]\nschedule = "${"1,".repeat(40_000)}1 * * * *"`],
  ["a long domain", `[[protected_domains]]\ndomain = "${"a.".repeat(40_000)}com"`],
  ["a long key", `${many("k")} = 1`],
  ["allowed names", `[[protected_domains]]\ndomain = "a.com"\nallow = [${many('"a.com",')}]`],
])(
  "a large file of %s is rejected in less than quadratic time",
  (_, text) => {
    expect(load(text).ok).toBe(false);
  },
  15_000,
);

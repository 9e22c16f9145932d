import { expect, test } from "bun:test";
import { visible, visibleJson } from "../../../src/platform/lib/safe-text.ts";

test.each([
  ["plain paypal.com, пример, 例え", "plain paypal.com, пример, 例え"],
  ["gpj.\u202eexe", "gpj.\\u{202e}exe"],
  ["zero\u200bwidth", "zero\\u{200b}width"],
  ["\u001b[31mred", "\\u{1b}[31mred"],
  ["line\nbreak\r\ttab", "line\\u{a}break\\u{d}\\u{9}tab"],
  ["soft\u00adhyphen", "soft\\u{ad}hyphen"],
  ["tag\u{e0041}", "tag\\u{e0041}"],
  ["lone\ud800surrogate", "lone\\u{d800}surrogate"],
  ["filler\u3164", "filler\\u{3164}"],
])("hidden characters of %j are shown as what they are", (text, expected) => {
  expect(visible(text)).toBe(expected);
});

test("a long text is truncated to the limit", () => {
  expect(visible("x".repeat(10_000), 100)).toBe(`${"x".repeat(99)}…`);
});

test("visibleJson keeps the value and shows no hidden character", () => {
  const value = { text: "a\u202eb\u{e0041}c\u0085\u2028" };
  const line = visibleJson(JSON.stringify(value));
  expect(JSON.parse(line)).toEqual(value);
  expect(line).toMatch(/^[\u0020-\u007e]+$/);
});

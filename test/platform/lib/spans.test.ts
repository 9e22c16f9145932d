import { expect, test } from "bun:test";
import { bytesText, spanText } from "../../../src/platform/lib/durations.ts";

test.each([
  [0, "0.0 s"],
  [420, "0.4 s"],
  [9_949, "9.9 s"],
  [9_950, "10 s"],
  [89_400, "89 s"],
  [90_000, "2 min"],
  [89 * 60_000, "89 min"],
  [90 * 60_000, "1 h 30 min"],
  [24 * 3_600_000, "24 h"],
  [96 * 3_600_000, "4 days"],
])("%i ms are shown as %s", (ms, text) => {
  expect(spanText(ms)).toBe(text);
});

test.each([
  [0, "0 B"],
  [1_023, "1023 B"],
  [1_536, "1.5 KiB"],
  [2 ** 20 * 99.6, "100 MiB"],
  [2 ** 30, "1.0 GiB"],
  [2 ** 52, "4096 TiB"],
])("%i bytes are shown as %s", (bytes, text) => {
  expect(bytesText(bytes)).toBe(text);
});

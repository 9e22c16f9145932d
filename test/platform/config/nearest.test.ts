import { expect, test } from "bun:test";
import { editDistance, nearest } from "../../../src/platform/config/nearest.ts";

const keys = ["listen", "public_url", "tls_cert", "tls_key", "trusted_proxies"];

test.each([
  ["listn", "listen"],
  ["lisetn", "listen"],
  ["publicUrl", "public_url"],
  ["public-url", "public_url"],
  ["PUBLIC_URL", "public_url"],
  ["tls_kye", "tls_key"],
  ["trusted_proxy", "trusted_proxies"],
  ["port", undefined],
  ["", undefined],
  ["x", undefined],
  ["l".repeat(1000), undefined],
])("%p is nearest to %p", (text, expected) => {
  expect(nearest(text, keys)).toBe(expected);
});

test.each([
  ["", "", 0],
  ["abc", "", 3],
  ["", "abc", 3],
  ["abc", "abc", 0],
  ["abc", "abd", 1],
  ["abc", "acb", 1],
  ["abc", "xabc", 1],
  ["kitten", "sitting", 3],
  ["ca", "abc", 3],
])("%p and %p are %i edits apart", (left, right, distance) => {
  expect(editDistance(left, right)).toBe(distance);
  expect(editDistance(right, left)).toBe(distance);
});

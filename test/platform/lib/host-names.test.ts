import { expect, test } from "bun:test";
import { isPublicSuffix, parseHostName } from "../../../src/platform/lib/host-names.ts";

test.each([
  ["example.com", "example.com"],
  ["EXAMPLE.Com.", "example.com"],
  ["Bücher.example", "xn--bcher-kva.example"],
  ["faß.de", "xn--fa-hia.de"],
  ["xn--bcher-kva.example", "xn--bcher-kva.example"],
  ["１２３.example", "123.example"],
  ["localhost", "localhost"],
  ["a.b.c.d.e.f", "a.b.c.d.e.f"],
  [`${"a".repeat(63)}.com`, `${"a".repeat(63)}.com`],
])("%p is the host name %p", (text, name) => {
  expect(parseHostName(text)).toBe(name);
  expect(parseHostName(name)).toBe(name);
});

test.each([
  "",
  ".",
  ".example.com",
  "example..com",
  "example.com..",
  "-a.example",
  "a-.example",
  "a_b.example",
  "*.example.com",
  "a b.example",
  " example.com",
  "example.com:80",
  "https://example.com",
  "user@example.com",
  "example.com/",
  "exam%70le.com",
  "192.0.2.1",
  "1.2.3",
  "0x7f.1",
  "a.0x1",
  "[::1]",
  "::1",
  "xn--zzzz.com",
  "exa\u00admple.com",
  "exa\u200bmple.com",
  "\u202eexample.com",
  "exa\u0000mple.com",
  `${"a".repeat(64)}.com`,
  `${"a.".repeat(126)}com`,
  "a".repeat(5000),
])("%p is not a host name", (text) => {
  expect(parseHostName(text)).toBeNull();
});

test("only the ICANN section of the public suffix list counts", () => {
  expect(["com", "co.uk", "localhost", "xn--p1ai"].map(isPublicSuffix)).toEqual([true, true, true, true]);
  expect(["example.com", "github.io", "www.co.uk"].map(isPublicSuffix)).toEqual([false, false, false]);
});

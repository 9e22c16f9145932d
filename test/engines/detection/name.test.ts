import { encode as encodePunycode } from "node:punycode";
import { expect, test } from "bun:test";
import {
  decodeLabel,
  displayName,
  normalizeHostName,
  normalizeName,
} from "../../../src/engines/detection/names/name.ts";
import { decodePunycode } from "../../../src/engines/detection/names/punycode.ts";
import { isWord, splitIntoKeywords } from "../../../src/engines/detection/data/lexicon.ts";
import { metaphone } from "../../../src/engines/detection/letters/metaphone.ts";

test.each([
  ["Example.COM.", "example.com"],
  [" example.com\r", "example.com"],
  ["*.example.com", "example.com"],
  ["münchen.de", "xn--mnchen-3ya.de"],
  ["日本。jp", "xn--wgv71a.jp"],
  ["_dmarc.example.com", "_dmarc.example.com"],
  ["xn--zzzz9999.com", "xn--zzzz9999.com"],
])("%j is normalized to %s", (text, name) => {
  expect(normalizeName(text)).toEqual({ name });
});

test("a name that somebody gives is no wildcard and has no label that cannot be registered, unlike a name of a list", () => {
  for (const text of [
    "*.example.com",
    " *.example.com",
    "-a.com",
    "a-.com",
    "www.-a.com",
    "a_b.com",
    "xn--zzzz9999.com",
  ]) {
    expect(normalizeName(text)).toEqual({ name: expect.any(String) });
    expect(normalizeHostName(text)).toEqual({ error: expect.any(String) });
  }
  expect(normalizeHostName(" München.DE. ")).toEqual({ name: "xn--mnchen-3ya.de" });
  expect(normalizeHostName("com")).toEqual(normalizeName("com"));
});

test.each([
  "", " ", ".", "a..b", ".a.com", "com", "a b.com", "1.2.3.4", "[::1]", "a:80", "http://a.com", "a\0.com", "a\u202e.com",
  `${"a".repeat(64)}.com`, `${"a.".repeat(126)}com`, "a".repeat(100_000),
])("%j is reported not to be a host name", (text) => {
  expect(normalizeName(text)).toEqual({ error: expect.any(String) });
}); // prettier-ignore

test.each([
  ["example-bank.com/x y", 'contains "/", which host names cannot contain'],
  ["a.bü/x", 'contains "/", which host names cannot contain'],
  ["a.bü?x", 'contains "?", which host names cannot contain'],
  ["a.bü#x", 'contains "#", which host names cannot contain'],
  ["a.com\\ b", 'contains "\\", which host names cannot contain'],
  ["a.b%C3%BCü", 'contains "%", which host names cannot contain'],
])("%j is not cut to the part that would be the host of a URL", (text, error) => {
  expect(normalizeName(text)).toEqual({ error });
});

// Samples of RFC 3492, section 7.1.
test.each([
  ["egbpdaj6bu4bxfgehfvwxn", "ليهمابتكلموشعربي؟"],
  ["ihqwcrb4cv8a8dqg056pqjye", "他们为什么不说中文"],
  ["d9juau41awczczp", "そのスピードで"],
])("Punycode %s decodes to %s", (encoded, text) => {
  expect(decodePunycode(encoded)).toBe(text);
  expect(encodePunycode(text)).toBe(encoded);
});

test.each(["zzzz9999", "é", "a-é", "99999999", "-", ""])(
  "malformed Punycode such as %j is not decoded",
  (encoded) => {
    expect(decodeLabel(`xn--${encoded}`)).toBe(`xn--${encoded}`);
  },
);

test("a label is displayed in Unicode only if no character is hidden or reorders text", () => {
  expect(displayName("xn--mnchen-3ya.de")).toBe("münchen.de");
  for (const text of ["a\u202eb", "a\u200bb", "a\u00adb", "שלום"]) {
    const label = `xn--${encodePunycode(text)}`;
    expect(displayName(`${label}.com`)).toBe(`${label}.com`);
  }
});

test("the lexicon contains its words and no other text", () => {
  for (const word of ["finance", "the", "zoom", "aardvark"])
    expect([word, isWord(word)]).toEqual([word, true]);
  for (const word of ["finanse", "", "z", "paypal", "#"]) expect([word, isWord(word)]).toEqual([word, false]);
  expect(splitIntoKeywords("securelogin")).toEqual(["secure", "login"]);
  expect(splitIntoKeywords("securexlogin")).toBeUndefined();
});

test.each([
  ["metaphone", "MTFN"],
  ["thumb", "0M"],
  ["school", "SKL"],
  ["knight", "NT"],
  ["nite", "NT"],
  ["xerox", "SRKS"],
])("the Metaphone code of %s is %s", (word, code) => {
  expect(metaphone(word)).toBe(code);
});

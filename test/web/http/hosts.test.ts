import { describe, expect, test } from "bun:test";
import { createHosts } from "../../../src/web/http/guard.ts";

const classify = createHosts(["Phish.Example.com", "other.example:8443", "[2001:db8::1]"]);

describe("the class of a Host header", () => {
  test.each([
    null,
    "127.0.0.1",
    "127.0.0.1:8080",
    "203.0.113.9",
    "[::1]:8080",
    "[2001:db8::2]",
    "localhost",
    "LOCALHOST:1",
    "localhost.",
    "phish.example.com",
    "PHISH.example.com.:443",
    "other.example",
  ])("is known for %p", (host) => {
    expect(classify(host)).toBe("known");
  });

  test.each([
    "example.com",
    "phish.example.com.evil.test",
    "evil-phish.example.com",
    "x",
    "sub.localhost",
    "a_b",
    "1.2.3.4.evil.test",
  ])("is unknown for %p", (host) => {
    expect(classify(host)).toBe("unknown");
  });

  test.each([
    "",
    " ",
    "1.2.3.4.5",
    "999999999999",
    "a:99999",
    "a:b",
    "xn--",
    "::1",
    "[::1",
    "a b",
    "a, b",
    "a/b",
    "a\\b",
    "a@b",
    "a#b",
    "a?b",
    "%61",
    "a%00b",
    "<a>",
    "caf\u00e9",
    "a".repeat(300),
  ])("is invalid for %p", (host) => {
    expect(classify(host)).toBe("invalid");
  });

  test("is the same after thousands of other headers", () => {
    for (let n = 0; n < 5_000; n += 1) expect(classify(`host-${n}.example`)).toBe("unknown");
    expect([classify("phish.example.com"), classify("host-1.example")]).toEqual(["known", "unknown"]);
  });
});

import { describe, expect, test } from "bun:test";
import {
  allowedBelow,
  isListable,
  ownNamesOf,
  parentsOf,
} from "../../../../src/response/outputs/block-lists/coverage.ts";
import { nextChange, serialOf } from "../../../../src/response/outputs/block-lists/serial.ts";

const own = ownNamesOf([
  { domain: "www.example-bank.co.uk", allow: ["example-bank-careers.com", "shop.evil.com"] },
  { domain: "bank.pages.dev", allow: [] },
]);

const listable = [
  ["examp1e-bank.com", "a registrable domain"],
  ["login.secure.examp1e-bank.com", "a name below a registrable domain"],
  ["evil.com", "a name above an allowed one"],
  ["xn--xample-bank-ejb.com", "an internationalized name in A-label form"],
  ["examp1e-bank.pages.dev", "a name below a hosting suffix"],
  ["a.examp1e-bank.pages.dev", "a name of a customer of a hosting service"],
  ["examp1e-bank.weebly.com", "a name on a shared platform"],
  ["_dmarc.examp1e-bank.com", "a name with an underscore"],
  ["notexample-bank.co.uk", "a name that ends like a protected domain"],
] as const;

const unlistable = [
  ["www.example-bank.co.uk", "a protected domain"],
  ["example-bank.co.uk", "the registrable domain of a protected one"],
  ["mail.example-bank.co.uk", "a name below the registrable domain of a protected one"],
  ["example-bank-careers.com", "an allowed name"],
  ["eu.shop.evil.com", "a name below an allowed one"],
  ["bank.pages.dev", "a protected name below a hosting suffix"],
  ["pages.dev", "a hosting suffix"],
  ["co.uk", "a public suffix"],
  ["com", "a top-level domain"],
  ["google.com", "a name that millions use"],
  ["Examp1e-bank.com", "a name in capitals"],
  ["examp1e-bank.com.", "a name with a trailing dot"],
  ["examp1e bank.com", "text with a space"],
  ['a"\nlocal-zone: "b.com', "text that would end a line"],
  ["192.0.2.1", "an IP address"],
  ["", "no text"],
  ["24.1.2.0.192.rpz-ip", "a rule of a policy zone for addresses"],
  ["ns.rpz-nsdname", "a rule of a policy zone for name servers"],
] as const;

describe("what a list may contain", () => {
  for (const [name, what] of listable)
    test(`${what} can be listed: ${name}`, () => expect(isListable(name, own)).toBe(true));
  for (const [name, what] of unlistable)
    test(`${what} is never listed: ${JSON.stringify(name)}`, () => expect(isListable(name, own)).toBe(false));

  test("allowed and protected names below listed ones are exceptions", () => {
    expect(allowedBelow(own, (name) => name === "evil.com")).toEqual(["shop.evil.com"]);
    expect(allowedBelow(own, (name) => name === "shop.evil.com")).toEqual([]);
    expect(allowedBelow(own, () => false)).toEqual([]);
  });

  test("the parents of a name end before the top-level domain", () => {
    expect(parentsOf("a.b.example.com")).toEqual(["b.example.com", "example.com"]);
    expect(parentsOf("example.com")).toEqual([]);
    expect(parentsOf("com")).toEqual([]);
  });
});

describe("the serial of a zone", () => {
  const day = 86_400_000;
  const now = Date.UTC(2026, 10, 22);
  const isGreater = (later: number, earlier: number) => {
    const distance = (later - earlier + 2 ** 32) % 2 ** 32;
    return distance > 0 && distance < 2 ** 31;
  };
  for (const [what, before, present] of [
    ["after a second", now, now + 1_000],
    ["within the same second", now, now + 1],
    ["after the clock was set back by a year", now, now - 365 * day],
    ["at the end of the 32 bits", (2 ** 32 - 1) * 1_000, now],
    ["after the clock was set forward by a hundred years", now, now + 36_500 * day],
    ["after the clock was set back by a hundred years", now + 36_500 * day, now],
  ] as const)
    test(`the serial increases ${what}`, () => {
      const next = nextChange(before, present);
      expect(next).toBeGreaterThan(before);
      expect(next % 1_000).toBe(0);
      expect(isGreater(serialOf(next), serialOf(before))).toBe(true);
      expect(serialOf(next)).toBeLessThan(2 ** 32);
    });
});

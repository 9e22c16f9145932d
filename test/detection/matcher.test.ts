import { expect, test } from "bun:test";
import { createMatcher } from "../../src/detection/matcher.ts";

const paypal = { domain: "paypal.com", keywords: [], allow: ["paypal-corp.com"] };
const matcher = createMatcher([paypal], { minSimilarity: 0.75 });
const typeOf = (name: string): string | undefined => matcher.match(name)[0]?.type;

test.each([
  ["paypal.net", "tld_squatting"],
  ["payppal.com", "typosquatting"],
  ["pàypal.com", "homograph"],
  ["paypal-login.com", "combosquatting"],
  ["paypal.com.evil.top", "levelsquatting"],
])("%s is %s", (name, type) => {
  expect(typeOf(name)).toBe(type);
});

test.each(["paypal.com", "WWW.PayPal.com.", "paypal-corp.com", "x.paypal-corp.com", "example.org", ""])(
  "%j is never a look-alike",
  (name) => {
    expect(matcher.match(name)).toEqual([]);
  },
);

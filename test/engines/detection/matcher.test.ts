import { describe, expect, test } from "bun:test";
import { createMatcher } from "../../../src/engines/detection/match/matcher.ts";
import { describeReason } from "../../../src/engines/detection/match/reasons.ts";
import type { NameMatch } from "../../../src/engines/detection/types.ts";

function match(protectedDomain: string, name: string, keywords: string[] = []): NameMatch | undefined {
  const names = [{ domain: protectedDomain, keywords, allow: ["paypal-corp.com"] }];
  return createMatcher(names, { minSimilarity: 0.75 }).match(name)[0];
}

test.each([
  // Homographs: other scripts, marks, hooked and stroked letters, ASCII look-alikes, whole-script Cyrillic.
  ["pаypal.com", "homograph"],
  ["xn--pypal-4ve.com", "homograph"],
  ["pàypal.com", "homograph"],
  ["paypaƚ.com", "homograph"],
  ["paypa1.com", "homograph"],
  ["PAYPA1.COM.", "homograph"],
  ["раураӏ.com", "homograph"],
  // Bit flips of the whole name.
  ["paypcl.com", "bitsquatting"],
  ["qaypal.com", "bitsquatting"],
  // Typos, hyphens among them.
  ["paypall.com", "typosquatting"],
  ["pyapal.com", "typosquatting"],
  ["paypals.net", "typosquatting"],
  ["pay-pal.com", "typosquatting"],
  // Other suffixes, private ones too.
  ["paypal.net", "tld_squatting"],
  ["paypal.co.uk", "tld_squatting"],
  ["paypal.pages.dev", "tld_squatting"],
  // Dots that are left out.
  ["wwwpaypal.com", "doppelganger"],
  ["www-paypal.com", "doppelganger"],
  ["paypalcom.net", "doppelganger"],
  ["paypal-com.net", "doppelganger"],
  // Below names of others.
  ["paypal.evil.top", "levelsquatting"],
  ["paypal.com.evil.top", "levelsquatting"],
  ["paypal-com.evil.top", "levelsquatting"],
  ["secure-paypal-login.evil.top", "levelsquatting"],
  ["pay.pal.evil.top", "levelsquatting"],
  // With other words.
  ["paypal-login.com", "combosquatting"],
  ["securepaypal.com", "combosquatting"],
  ["paypal-iniciar-sesion.duckdns.org", "combosquatting"],
  ["mypaypal24.de", "combosquatting"],
  // Composed: the most specific type of what is seen.
  ["paypa1-login.com", "homograph"],
  ["secure-paypall.net", "typosquatting"],
  ["paypall.evil.top", "typosquatting"],
  ["login_paypa1.github.io", "homograph"],
  // Malformed A-labels stand for themselves.
  ["xn--paypal-99999999.com", "combosquatting"],
] as const)("%s is a look-alike of paypal.com by %s", (name, type) => {
  const found = match("paypal.com", name);
  expect([name, found?.type]).toEqual([name, type]);
  expect(found!.similarity).toBeGreaterThanOrEqual(0.75);
  expect(found!.similarity).toBeLessThan(1);
  expect(found!.reasons.length).toBeGreaterThan(0);
  for (const reason of found!.reasons) expect(describeReason(reason)).toMatch(/^[^\n]+$/);
});

test.each([
  "paypal.com", "WWW.PayPal.com.", "a.b.paypal.com", "paypal-corp.com", "x.paypal-corp.com",
  "papal.com", "example.org", "paypal", "", "com", "..", "1.2.3.4",
])("%j does not match paypal.com", (name) => {
  expect(match("paypal.com", name)).toBeUndefined();
}); // prettier-ignore

test.each([
  ["metamask.io", "rnetamask.io", "homograph"],
  ["metamask.io", "metarnask-wallet.app", "homograph"],
  ["wellsfargo.com", "vvellsfargo.com", "homograph"],
  ["microsoft.com", "rnicrosoft-support.net", "homograph"],
  ["metamask.io", "metmsk.io", "typosquatting"],
  ["metamask.io", "securemetamsk.com", "typosquatting"],
  ["netflix.com", "netflicks-login.com", "soundsquatting"],
  ["chain.link", "chainlink-claim.com", "combosquatting"],
  ["smbc-card.com", "smbccard.top", "typosquatting"],
  ["smbc-card.com", "www.smbc-crad.com.evil.cn", "typosquatting"],
  ["americanexpress.com", "americna-express.com", "typosquatting"],
  ["bücher.de", "xn--bcher-kva.com", "tld_squatting"],
  ["bücher.de", "bucher.de", "homograph"],
  ["bücher.de", "buecher.com", "tld_squatting"],
  ["пример.рф", "xn--e1afmkfd.com", "tld_squatting"],
] as const)("for %s, %s is %s", (domain, name, type) => {
  expect(match(domain, name)?.type).toBe(type);
});

test.each([
  ["binance.com", "finance.com"],
  ["binance.com", "carfinance-refund.com"],
  ["trezor.io", "tenor.com"],
  ["telegram.org", "telegraph-news.com"],
  ["ledger.com", "ledge.com"],
  ["chase.com", "purchase-order.com"],
  ["chase.com", "steeplechase.com"],
  ["chase.com", "phase.com"],
  ["office.com", "officer-training.com"],
  ["apple.com", "pineapple-pie.com"],
  ["intuit.com", "intuition.systems"],
])("for %s, the ordinary name %s does not match", (domain, name) => {
  expect(match(domain, name)).toBeUndefined();
});

test.each([
  ["example-shop.com", "example-shop-bd.com"],
  ["example-shop.com", "bd-example-shop.com"],
  ["example-shop.com", "x-example-shop-y.com"],
  ["example-shop.com", "example-shop-s.com"],
  ["example-shop.com", "example-shop-24.com"],
  ["paypal.com", "paypal-x.com"],
  ["chase.com", "chase-q.com"],
])("For %s, %s is a combosquatting name, because the brand is written as it is", (domain, name) => {
  const found = match(domain, name)!;
  expect(found.type).toBe("combosquatting");
  const codes = found.reasons.map(({ code }) => code);
  expect(codes).toContain("label_part");
  expect(codes.filter((code) => /split|insertion|plural|repetition/.test(code))).toEqual([]);
});

test.each([
  [
    "example-bank.com",
    "examplembank.com",
    `"m" is one bit away from "-" at position 8 of the label "examplembank"`,
  ],
  [
    "example-bank.com",
    "exa-ple-bank.com",
    `"-" is one bit away from "m" at position 4 of the label "exa-ple-bank"`,
  ],
  ["paypal.com", "qaypal.com", `"q" is one bit away from "p" at position 1 of the label "qaypal"`],
])(
  "The reason for a changed bit of %s in %s names both characters (bit flip of a hyphen)",
  (domain, name, text) => {
    const found = match(domain, name)!;
    expect(found.type).toBe("bitsquatting");
    expect(found.reasons.map(describeReason)).toContain(text);
    expect(found.reasons.map(describeReason).join(" ")).not.toContain('""');
  },
);

test.each([
  ["pay-pal.com", '"paypal" is split up as "pay-pal"'],
  ["examplebank.com", '"example-bank" is written together as "examplebank"'],
])("The reason for other separators in %s says whether they were added or left out", (name, text) => {
  const found = match(name.startsWith("pay") ? "paypal.com" : "example-bank.com", name)!;
  expect(found.reasons.map(describeReason)).toContain(text);
});

test("a brand keyword counts as the name of its domain", () => {
  expect(match("xfinity.com", "comcast-login.net")).toBeUndefined();
  expect(match("xfinity.com", "comcast-login.net", ["comcast"])?.type).toBe("combosquatting");
});

describe("a domain without a usable label", () => {
  const matcher = createMatcher(
    [
      { domain: "gov.uk", keywords: ["hmrc"], allow: [] },
      { domain: "online.de", keywords: [], allow: [] },
      { domain: "github.io", keywords: [], allow: [] },
    ],
    { minSimilarity: 0.75 },
  );
  const brandOf = (name: string) => matcher.match(name).map(({ protectedDomain }) => protectedDomain);

  test.each([
    ["gov.uk.refund-claim.com", "gov.uk"],
    ["govuk-tax.top", "gov.uk"],
    ["hmrc-refund.com", "gov.uk"],
    ["online.net", "online.de"],
    ["online.de.account-check.com", "online.de"],
    ["github-login.github.io", "github.io"],
    ["githu6.io", "github.io"],
  ])("is imitated by %s", (name, domain) => expect(brandOf(name)).toEqual([domain]));

  test.each([
    ["online-qx.net"],
    ["online.example.net"],
    ["gov-qx.net"],
    ["gov.example.net"],
    ["govukraine.com"],
    ["service.gov.uk"],
    ["hmrc.gov.uk"],
    ["github.io"],
    ["example.github.io"],
  ])("is not imitated by %s", (name) => expect(brandOf(name)).toEqual([]));

  test("owns the names below a registry's suffix, but not those below the suffix of a hosting service", () => {
    expect(["gov.uk", "hmrc.gov.uk", "github.io"].map((name) => matcher.isOwn(name))).toEqual([
      true,
      true,
      true,
    ]);
    expect(matcher.isOwn("anybody.github.io")).toBe(false);
  });
});

test("similarity decreases as a name becomes less deceptive", () => {
  const order = ["pаypal.com", "paypa1.com", "paypall.com", "paypaxl.com", "secure-paypaxl.evil.top"];
  const similarities = order.map((name) => match("paypal.com", name)?.similarity ?? 0);
  expect(similarities).toEqual(similarities.toSorted((a, b) => b - a));
  const places = ["paypal.net", "paypal-login.net", "paypal-xkcd.net", "myxpaypalkcdq.net"];
  const prominence = places.map((name) => match("paypal.com", name)!.similarity);
  expect(prominence).toEqual(prominence.toSorted((a, b) => b - a));
  expect(match("wellsfargo.com", "wellsfarrgo.com")!.similarity).toBeGreaterThan(
    match("wellsfargo.com", "wellzfarrgo.com")!.similarity,
  );
});

test("a name matches each protected domain at most once, in their order", () => {
  const names = ["paypal.com", "paypal.de", "metamask.io"].map((domain) => ({
    domain,
    keywords: [],
    allow: [],
  }));
  const found = createMatcher(names, { minSimilarity: 0.75 }).match("paypal-paypal.metamask.evil.top");
  expect(found.map(({ protectedDomain }) => protectedDomain)).toEqual([
    "paypal.com",
    "paypal.de",
    "metamask.io",
  ]);
});

test("reasons give the change and its position, and contain no raw control characters", () => {
  const text = (name: string): string => match("paypal.com", name)!.reasons.map(describeReason).join("; ");
  expect(text("pаypal.com")).toContain('"а" (U+0430) looks like "a" at position 2');
  expect(text("paypal-login.top")).toContain('"login"');
  expect(text("xn--paypal-login-\u202e.com".replace("\u202e", "zz"))).not.toMatch(
    /[\u202a-\u202e\u2066-\u2069]/,
  );
});

test.each(["newbrandxyz-login.com", "newbrandxyz-con.com", "newbrandxyz-cam.net", "newbrandxyz-logi.org"])(
  "the text after the brand in %s is not read as a mistyped suffix",
  (name) => {
    const found = match("newbrandxyz.com", name);
    expect(found?.type).toBe("combosquatting");
    expect(found?.reasons.map(({ code }) => code)).not.toContain("whole_name");
  },
);

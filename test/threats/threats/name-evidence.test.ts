import { expect, test } from "bun:test";
import { nameEvidence, namePoints } from "../../../src/threats/threats/severity/name-evidence.ts";
import {
  describeSeverityReason,
  shortSeverityReason,
} from "../../../src/threats/threats/severity/severity-reasons.ts";
import { explainSeverity } from "../../../src/threats/threats/severity/explain-severity.ts";
import { severityOf, type SeverityScore } from "../../../src/threats/threats/severity/severity.ts";
import type { Severity } from "../../../src/platform/vocabulary/threats.ts";
import { lookAlike, matched } from "../../support/look-alikes.ts";

type Row = [domain: string, protectedDomain: string, severity: Severity, short: string];
const rows: Row[] = [
  ["robloxguide.se", "roblox.com", "low", "brand beside ordinary words"],
  ["telegramofon.se", "telegram.org", "low", "brand beside ordinary words"],
  ["microsoft-guide.com", "microsoft.com", "medium", "brand set apart"],
  ["microsoft-login-account.com", "microsoft.com", "medium", "brand beside phishing words"],
  ["paypal.ee", "paypal.com", "medium", "brand under another suffix"],
  ["wwwpaypal.com", "paypal.com", "medium", "missing dot"],
  ["mcirosoft.se", "microsoft.com", "medium", "near miss"],
  ["microsoftbr.site", "microsoft.com", "medium", "near miss"],
  ["account-netlfix.com", "netflix.com", "high", "near miss beside phishing words"],
  ["sportifystream.xyz", "spotify.com", "low", "similar name"],
  ["rnicrosoft.nu", "microsoft.com", "high", "homograph"],
  ["xn--uniswp-fua.net", "uniswap.org", "high", "homograph"],
  ["xiedger.se", "ledger.com", "medium", "near miss"],
  ["paypal.evil-host.net", "paypal.com", "medium", "brand set apart"],
  ["paypal.com.evil-host.net", "paypal.com", "high", "complete name in front of another"],
  ["login.paypal.com.pages.dev", "paypal.com", "high", "complete name in front of another"],
  ["binance.com1367347.ml", "binance.com", "high", "complete name in front of another"],
  ["paypal.com-verify.net", "paypal.com", "high", "complete name in front of another"],
  ["exampl-bank.com.evil.net", "example-bank.com", "high", "complete name in front of another"],
];

test.each(rows)(
  "the name %s of %s alone justifies the severity %s: %s",
  (domain, protectedDomain, severity, short) => {
    const scored = severityOf(matched(domain, protectedDomain));
    expect({ severity: scored.severity, short: scored.reasons.map(shortSeverityReason) }).toEqual({
      severity,
      short: [short],
    });
  },
);

test("the reasons of old threats are not necessary to rate their names", () => {
  const domain = "example-bank.com.evil.net";
  const rated = [
    lookAlike({ similarity: 0.97 }),
    lookAlike({ similarity: 0.92, type: "combosquatting" }),
    { ...lookAlike({ similarity: 0.96, type: "levelsquatting" }), domain },
  ].map(nameEvidence);
  expect(rated).toEqual(["name_homograph", "name_set_apart", "name_in_front"]);
});

test("every way in which a name shows its severity has two texts of its own", () => {
  const reasons = Object.keys(namePoints).map((code) => ({
    code: code as keyof typeof namePoints,
    params: { similarity: 0.9 },
  }));
  expect(new Set(reasons.map(shortSeverityReason)).size).toBe(reasons.length);
  expect(new Set(reasons.map(describeSeverityReason)).size).toBe(reasons.length);
});

test("a severity is explained in the same few words, the strongest reasons first", () => {
  const near = matched("account-netlfix.com", "netflix.com");
  const page = { asksForPassword: true, asksForCard: false, namesBrand: true, redirectsToProtected: false };
  const facts = { exists: "yes" as const, reachable: true, mail: true, page };
  const explain = (verified: boolean, { severity, reasons }: SeverityScore) =>
    explainSeverity({ severity, verified, severityReasons: reasons });
  expect(explain(false, severityOf(near))).toBe("high: unverified · near miss beside phishing words");
  expect(explain(true, severityOf(near, { facts }))).toBe(
    "high: page asks for a password · near miss beside phishing words · mail server",
  );
  expect(explainSeverity({ severity: "low", verified: true, severityReasons: [] })).toBe("low");
});

import { describe, expect, test } from "bun:test";
import { abuseReport, mailtoAddress } from "../../src/evidence/abuse-report.ts";
import type { Facts } from "../../src/enrichment/facts/facts.ts";
import { existing, plainPage } from "../support/enrichment.ts";

type Given = Parameters<typeof abuseReport>[0];

const seen = Date.UTC(2026, 0, 15, 12);
const facts = {
  existence: { ...existing, exists: "yes", mailServers: ["mx.example.net"] },
  page: {
    ...plainPage,
    title: "Example Bank — Sign in",
    asksForPassword: true,
    namesBrand: true,
    certificate: { issuer: "Let's Encrypt", notBefore: "2026-01-01", notAfter: "2026-04-01" },
  },
  unknown: {},
} as Facts;
const whois = {
  registrar: "Example Registrar",
  registrar_iana_id: "292",
  created_at: "2026-01-10T00:00:00Z",
  abuse_email: "abuse@registrar.example",
};

function report(change: Partial<Given["threat"]> = {}, known: Facts | null = facts) {
  return abuseReport({
    threat: {
      domain: "examp1e-bank.com",
      protectedDomain: "example-bank.com",
      type: "typosquatting",
      reasons: [{ code: "legacy", params: { text: '"1" looks like "l"' } }],
      firstSeen: seen,
      whois,
      ...change,
    },
    facts: known ?? undefined,
    checkedAt: known === null ? null : seen,
  });
}

describe("a report of abuse", () => {
  test("does not tell whom it is handed on to that the page has a beacon", () => {
    const { body } = report({
      reasons: ['the "login" page', "other"].map((beacon) => ({
        code: "beacon_reported",
        params: { beacon },
      })),
    });
    expect(body).toContain("a copy of our page was shown to visitors there");
    expect(body).not.toMatch(/beacon|login" page/);
    expect(body.match(/a copy of our page/g)).toHaveLength(1);
  });

  test("goes to the registrar and says what was found, what is asked, and the name in both forms", () => {
    const { to, subject, body } = report();
    expect(to).toEqual({ email: "abuse@registrar.example", who: "Example Registrar" });
    expect(subject).toBe("Phishing: examp1e-bank[.]com imitates example-bank.com");
    expect(body).toBe(`To the abuse team of Example Registrar:

The domain name examp1e-bank[.]com imitates our domain name example-bank.com and is used for phishing.

Domain name
  - exactly: examp1e-bank.com
  - first seen by us: 2026-01-15 12:00 UTC

How it imitates ours
  - "'1' looks like 'l'"

What we found (2026-01-15 12:00 UTC)
  - addresses: 192.0.2.7
  - it can receive mail: mx.example.net
  - name servers: ns1.example.net
  - the page at "hxxps://examp1e-bank[.]com/" answers with status 200
  - its title: "Example Bank — Sign in"
  - it asks for a password
  - it names our brand
  - its certificate was issued by "Let's Encrypt"

Registration
  - registrar: "Example Registrar" (IANA 292)
  - registered: 2026-01-10T00:00:00Z

What we ask for
  1. Please examine the name and suspend it, for instance by setting the status clientHold.
  2. Please keep what you know of the registrant and of the page, for the authorities may ask for it.
  3. Please tell us what you have done.

Our evidence, with SHA-256 checksums, is available on request.

With kind regards
[name, organisation, telephone]
`);
  });

  test("claims nothing that is not known: without facts it says what the name is, and no more", () => {
    const { to, otherWays, subject, body } = report({ whois: {} }, null);
    expect(to).toBeUndefined();
    expect(subject).toStartWith("Abusive domain name: ");
    expect(otherWays).toEqual([
      "The registrar is not known yet.",
      expect.stringContaining("https://www.iana.org/domains/root/db/com.html"),
    ]);
    expect(body).not.toMatch(/phishing|undefined|null|What we found|Registration|password/i);
  });

  test("of a name that leads to the owner speaks of no phishing", () => {
    const page = { ...facts.page!, redirectsToProtected: true };
    const { subject, body } = report({}, { ...facts, page });
    expect(subject).toStartWith("Abusive");
    expect(body).toContain("it leads on to example-bank.com");
    expect(body).not.toMatch(/phishing|asks for a password/);
  });

  test("below a hoster's suffix is not for the registrar of the suffix", () => {
    const { to, otherWays, body } = report({ domain: "example-bank.pages.dev" });
    expect(to).toBeUndefined();
    expect(otherWays[0]).toContain("pages.dev belongs to a hoster");
    expect(body).toContain("Please take down what is served under this name.");
  });

  test("quotes what strangers wrote in one line each, bounded, with nothing hidden and no way out", () => {
    const hostile = `x"\r\n\r\nDear registrar,\r\nignore the above\u202e\u0000 <b>${"A".repeat(10_000)}`;
    const known = {
      ...facts,
      existence: { ...facts.existence!, addresses: Array.from({ length: 99 }, () => hostile) },
      page: {
        ...facts.page!,
        title: hostile,
        finalUrl: hostile,
        certificate: { ...facts.page!.certificate!, issuer: hostile },
      },
    };
    const { to, body, otherWays, subject } = report(
      {
        reasons: Array.from({ length: 99 }, () => ({ code: "legacy", params: { text: hostile } })),
        whois: { ...whois, registrar: hostile, created_at: hostile, abuse_phone: hostile },
      },
      known,
    );
    const text = [to!.who, subject, ...otherWays].join("\n") + body;
    expect(text).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
    expect(text).not.toMatch(/^Dear registrar|^ignore/m);
    expect(body.length).toBeLessThan(6_000);
    for (const line of body.split("\n")) expect(line.length).toBeLessThan(1_000);
    // A quote that a stranger wrote does not end ours.
    expect(body).toContain(`its title: "x'\\u{d}\\u{a}`);
  });

  test("opens in a mail program as it is", () => {
    const short = { ...report(), body: "a & b? \ud800 #1 100%\n" };
    const { address, withBody } = mailtoAddress(short)!;
    expect(withBody).toBe(true);
    expect(address).toStartWith(
      "mailto:abuse@registrar.example?subject=Phishing%3A%20examp1e-bank%5B.%5Dcom",
    );
    expect(address).not.toMatch(/[\s"<>]/);
    const { searchParams } = new URL(address.replaceAll("+", "%2B"));
    expect(searchParams.get("body")).toBe("a & b? \ufffd #1 100%\r\n");
    expect([...searchParams.keys()]).toEqual(["subject", "body"]);
    // A mail program that is handed too long an address opens nothing, without a word.
    const long = mailtoAddress({ ...short, body: "x ".repeat(2_000) })!;
    expect(long.withBody).toBe(false);
    expect(long.address).toBe(address.replace(/&body=.*/, ""));
    expect(mailtoAddress(report({ whois: {} }))).toBeUndefined();
  });
});

import { describe, expect, test } from "bun:test";
import { recipientsOf } from "../../../../src/response/cases/recipients/recipients.ts";
import { preparedText } from "../../../../src/response/cases/takedowns/texts.ts";
import { mailtoAddress } from "../../../../src/web/console/pages/takedowns/draft-form.tsx";
import type { Facts } from "../../../../src/facts/enrichment/facts/facts.ts";
import { existing, plainPage } from "../../../support/enrichment.ts";

type Given = Parameters<typeof preparedText>[0]["threats"][number];

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

/** Returns the text to the registrar, or to the owner of the suffix below which the name is. */
function report(change: Partial<Given["threat"]> = {}, known: Facts | null = facts) {
  const threat: Given["threat"] = {
    domain: "examp1e-bank.com",
    protectedDomain: "example-bank.com",
    type: "typosquatting",
    reasons: [{ code: "legacy", params: { text: '"1" looks like "l"' } }],
    firstSeen: seen,
    whois,
    siteState: null,
    ...change,
  };
  const given = known ?? undefined;
  const all = recipientsOf({ threat, facts: given });
  const recipient = all.find(({ kind }) => kind === "registrar") ?? all[0]!;
  return preparedText({
    reference: null,
    purpose: "first",
    recipient,
    threats: [{ threat, facts: given, checkedAt: known === null ? null : seen }],
    previous: null,
    before: undefined,
    files: { attached: [], bundle: undefined },
    signature: null,
    now: seen,
  });
}

describe("the prepared text of a report", () => {
  test("addresses the registrar in the phrases that abuse desks look for", () => {
    const { subject, body } = report();
    expect(subject).toBe("Phishing: examp1e-bank[.]com is a look-alike of example-bank.com");
    expect(body).toBe(`To the abuse team of Example Registrar:

examp1e-bank[.]com is a look-alike of our domain example-bank.com and is hosting a phishing page (brand impersonation).

Domain
  - domain name: examp1e-bank.com
  - first seen: 2026-01-15 12:00 UTC

Similarity
  - "'1' looks like 'l'"

Evidence (checked 2026-01-15 12:00 UTC)
  - IP addresses: 192.0.2.7
  - MX records: mx.example.net
  - name servers: ns1.example.net
  - URL: "hxxps://examp1e-bank[.]com/"
  - HTTP status: 200
  - page title: "Example Bank — Sign in"
  - the page asks for a password
  - the page uses our brand name
  - certificate issuer: "Let's Encrypt"

Registration
  - registrar: "Example Registrar" (IANA ID 292)
  - registered: 2026-01-10T00:00:00Z

Requested action
  1. Please suspend the domain (for example by setting clientHold).
  2. Please preserve registrant records for law enforcement.
  3. Please confirm the action that you have taken.

Files
  - The complete evidence is available on request.

Kind regards,
[name, organization, phone]
`);
  });

  const page = facts.page!;
  const existence = facts.existence!;
  const bare: Facts = { unknown: {} };
  test.each<[string, Partial<Given["threat"]>, Facts | null, string[], RegExp]>([
    [
      "a phishing page as phishing and brand impersonation",
      {},
      facts,
      ["hosting a phishing page (brand impersonation)", "preserve registrant records"],
      /undefined|null/,
    ],
    [
      "a cloned site as phishing, even without facts",
      { type: "cloned_site" },
      null,
      [
        "is hosting a phishing page that imitates our site example-bank.com",
        "If the site was compromised, please have its owner remove the phishing page instead.",
      ],
      /look-alike|Evidence \(|undefined/,
    ],
    [
      "a look-alike without a phishing page as brand impersonation only",
      {},
      { ...facts, page: { ...page, asksForPassword: false } },
      [
        "is a look-alike of our domain example-bank.com (brand impersonation).",
        "preserve registrant records",
      ],
      /phishing|asks for/i,
    ],
    [
      "a domain that redirects to its owner without any claim about the page",
      {},
      { ...facts, page: { ...page, redirectsToProtected: true } },
      ["redirects to example-bank.com"],
      /phishing|asks for a password|uses our brand/i,
    ],
    [
      "a domain without facts by its name alone",
      { whois: {} },
      null,
      ["is a look-alike of our domain example-bank.com"],
      /phishing|undefined|null|Evidence \(|Registration|password/i,
    ],
    [
      "a domain that is gone from DNS as such",
      {},
      { ...bare, existence: { ...existence, exists: "no", addresses: [], mailServers: [], nameServers: [] } },
      ["the domain does not currently exist in DNS"],
      /IP addresses|MX records|phishing/,
    ],
    [
      "a parked domain with its parking service",
      {},
      { ...bare, existence: { ...existence, parked: "Sedo" } },
      ['parked: "Sedo"'],
      /phishing|URL:/,
    ],
    [
      "a page that returns an error by its status alone",
      {},
      { ...facts, page: { ...page, status: 503, asksForPassword: false } },
      ["HTTP status: 503"],
      /page title|brand name|phishing/,
    ],
    [
      "a page that asks for a card and looks like the original",
      {},
      {
        ...facts,
        page: { ...page, asksForPassword: false, asksForCard: true, namesBrand: false },
        screenshot: { at: seen, hash: "0".repeat(16), visualSimilarity: 0.9 },
      },
      ["asks for a payment card number", "looks like the page of example-bank.com", "phishing"],
      /asks for a password|uses our brand/,
    ],
    [
      "an internationalized name in both forms",
      { domain: "xn--exmple-bank-x8a.com" },
      facts,
      ["domain name: xn--exmple-bank-x8a.com", "displayed as: "],
      /undefined/,
    ],
    [
      "a registration that expires",
      { whois: { ...whois, expires_at: "2027-01-10T00:00:00Z" } },
      facts,
      ["expires: 2027-01-10T00:00:00Z"],
      /undefined/,
    ],
    [
      "a name under a hosting provider's suffix with a request to take down the content",
      { domain: "example-bank.pages.dev" },
      facts,
      ["Please suspend the name and remove the content that is served under it."],
      /clientHold/,
    ],
  ])("describes %s", (_, threat, known, expected, forbidden) => {
    const { body } = report(threat, known);
    for (const text of [
      "example-bank.com",
      "brand impersonation",
      "Requested action",
      "Please suspend",
      ...expected,
    ])
      expect(body).toContain(text);
    expect(body).not.toMatch(forbidden);
  });

  test("names phishing in the subject only if there is a phishing page", () => {
    expect(report({}, null).subject).toBe(
      "Brand impersonation: examp1e-bank[.]com is a look-alike of example-bank.com",
    );
  });

  test("does not reveal to third parties that the protected page carries a beacon", () => {
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

  test("quotes text of third parties in one bounded line each, without hidden characters or a way out of the quotes", () => {
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
    const { body, subject } = report(
      {
        reasons: Array.from({ length: 99 }, () => ({ code: "legacy", params: { text: hostile } })),
        whois: { ...whois, registrar: hostile, created_at: hostile, abuse_phone: hostile },
      },
      known,
    );
    const text = `${subject}\n${body}`;
    expect(text).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
    expect(text).not.toMatch(/^Dear registrar|^ignore/m);
    expect(body.length).toBeLessThan(6_000);
    for (const line of body.split("\n")) expect(line.length).toBeLessThan(1_000);
    // A quotation mark in the quoted text does not end the quotation.
    expect(body).toContain(`page title: "x'\\u{d}\\u{a}`);
  });

  test("opens unchanged in a mail program", () => {
    const short = { ...report(), to: "abuse@registrar.example", body: "a & b? \ud800 #1 100%\n" };
    const { address, withBody } = mailtoAddress(short);
    expect(withBody).toBe(true);
    expect(address).toStartWith(
      "mailto:abuse@registrar.example?subject=Phishing%3A%20examp1e-bank%5B.%5Dcom",
    );
    expect(address).not.toMatch(/[\s"<>]/);
    const { searchParams } = new URL(address.replaceAll("+", "%2B"));
    expect(searchParams.get("body")).toBe("a & b? \ufffd #1 100%\r\n");
    expect([...searchParams.keys()]).toEqual(["subject", "body"]);
    // Browsers pass no longer address to a mail program, and report no error.
    const long = mailtoAddress({ ...short, body: "x ".repeat(2_000) });
    expect(long.withBody).toBe(false);
    expect(long.address).toBe(address.replace(/&body=.*/, ""));
  });
});

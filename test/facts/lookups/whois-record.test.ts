import { describe, expect, test } from "bun:test";
import { parseServer } from "../../../src/facts/lookups/registries/whois-client.ts";
import { readReferral, readWhois } from "../../../src/facts/lookups/registration/whois-lookup.ts";
import * as texts from "./whois-texts.ts";

const nameServers = ["ns1.dns.example", "ns2.dns.example"];
const created = "2026-02-10T09:30:00.000Z";
const expires = "2027-02-10T09:30:00.000Z";
const day = (text: string) => `${text}T00:00:00.000Z`;

const registered: [string, string, string, object][] = [
  [
    "ICANN's form, of a thin registry",
    "example-banc.com",
    texts.com,
    {
      registrar: "Cheap Names, Inc.",
      registrar_iana_id: "4711",
      created_at: created,
      updated_at: "2026-02-11T10:00:02.000Z",
      expires_at: expires,
      name_servers: ["ns1.cheap-dns.example", "ns2.cheap-dns.example"],
      status: ["clientDeleteProhibited", "clientTransferProhibited"],
      dnssec: false,
      abuse_email: "abuse@cheap-names.example",
      abuse_phone: "+1.5555550100",
    },
  ],
  [
    "ICANN's form, of a registrar",
    "example-banc.com",
    texts.registrar,
    {
      registrar: "Cheap Names, Inc.",
      registrar_iana_id: "4711",
      registrant_organization: "Harbour Holdings Ltd",
      registrant_country: "IS",
      created_at: created,
      updated_at: "2026-02-11T10:00:02.000Z",
      expires_at: expires,
      name_servers: ["ns1.cheap-dns.example", "ns2.cheap-dns.example"],
      status: ["clientTransferProhibited"],
      dnssec: false,
      abuse_email: "abuse@cheap-names.example",
      abuse_phone: "+1.5555550100",
    },
  ],
  [
    ".jp",
    "example-banc.jp",
    texts.jp,
    {
      created_at: day("2026-02-10"),
      updated_at: "2026-02-10T16:05:05.000Z",
      expires_at: day("2027-02-28"),
      name_servers: nameServers,
      status: ["active"],
    },
  ],
  [
    ".co.jp",
    "example-banc.co.jp",
    texts.coJp,
    {
      registrant_organization: "Example Banc Corporation",
      created_at: day("2026-03-11"),
      updated_at: "2026-03-31T16:02:03.000Z",
      name_servers: nameServers,
      status: ["connected"],
    },
  ],
  [
    ".uk",
    "example-banc.co.uk",
    texts.uk,
    {
      registrar: "Cheap Names Limited t/a Cheap Names",
      created_at: day("2026-02-10"),
      updated_at: day("2026-02-11"),
      expires_at: day("2027-02-10"),
      name_servers: nameServers,
      dnssec: true,
    },
  ],
  [
    ".fr",
    "example-banc.fr",
    texts.fr,
    {
      registrar: "CHEAP NAMES SAS",
      created_at: created,
      updated_at: "2026-02-11T10:00:00.000Z",
      expires_at: expires,
      name_servers: nameServers,
      status: ["active"],
    },
  ],
  [
    ".de",
    "example-banc.de",
    texts.de,
    {
      updated_at: "2026-02-11T09:00:00.000Z",
      name_servers: nameServers,
      status: ["connect"],
    },
  ],
  [
    ".br",
    "example-banc.com.br",
    texts.br,
    {
      registrant_organization: "Exemplo Comércio Ltda",
      registrant_country: "BR",
      created_at: day("2026-02-10"),
      updated_at: day("2026-02-11"),
      expires_at: day("2027-02-10"),
      name_servers: nameServers,
      status: ["published"],
    },
  ],
  [
    ".ru",
    "example-banc.ru",
    texts.ru,
    {
      registrar: "CHEAP-RU",
      registrant_organization: "Example Banc LLC",
      created_at: created,
      expires_at: expires,
      name_servers: nameServers,
      status: ["registered", "delegated", "verified"],
    },
  ],
  [
    ".nl",
    "example-banc.nl",
    texts.nl,
    {
      registrar: "Cheap Names B.V.",
      created_at: day("2026-02-10"),
      updated_at: day("2026-02-11"),
      name_servers: nameServers,
      status: ["active"],
      dnssec: true,
      abuse_email: "abuse@cheap-names.example",
      abuse_phone: "+31.201234567",
    },
  ],
  [".eu", "example-banc.eu", texts.eu, { registrar: "Cheap Names SA", name_servers: nameServers }],
  [
    ".it",
    "example-banc.it",
    texts.it,
    {
      registrar: "Cheap Names S.p.A.",
      registrant_organization: "Esempio Srl",
      created_at: created,
      updated_at: "2026-02-11T00:10:00.000Z",
      expires_at: day("2027-02-10"),
      name_servers: nameServers,
      status: ["ok"],
      dnssec: false,
    },
  ],
  [
    ".pl",
    "example-banc.pl",
    texts.pl,
    {
      registrar: "Cheap Names Sp. z o.o.",
      created_at: "2026-02-10T10:30:00.000Z",
      updated_at: "2026-02-11T11:00:00.000Z",
      expires_at: "2027-02-10T10:30:00.000Z",
      name_servers: nameServers,
      dnssec: false,
    },
  ],
  [
    ".cn",
    "example-banc.cn",
    texts.cn,
    {
      registrar: "Cheap Names (Beijing)",
      created_at: "2026-02-10T17:30:00.000Z",
      expires_at: "2027-02-10T17:30:00.000Z",
      name_servers: nameServers,
      status: ["ok"],
      dnssec: false,
    },
  ],
  [
    ".tr",
    "example-banc.com.tr",
    texts.tr,
    {
      registrar: "Cheap Names A.S.",
      created_at: day("2026-02-10"),
      expires_at: day("2027-02-09"),
      name_servers: nameServers,
      status: ["active"],
    },
  ],
];

describe("WHOIS records", () => {
  test.each(registered)(
    "the facts are read from %s, without data of other parties",
    (_form, domain, text, expected) => {
      const reading = readWhois(text, domain);
      expect(reading).toMatchObject({ kind: "registered" });
      expect((reading as { registration: object }).registration).toEqual({ source: "whois", ...expected });
    },
  );
});

test("a registry's referral to the registrar is returned only if it is a host name", () => {
  expect(readWhois(texts.com, "example-banc.com")).toMatchObject({ referral: "whois.cheap-names.example" });
  const odd = texts.com.replace("whois.cheap-names.example", "http://evil.example/x?y");
  expect(readWhois(odd, "example-banc.com")).toMatchObject({ kind: "registered", referral: undefined });
});

describe("unregistered names", () => {
  test.each(Object.entries(texts.unregistered))(
    "the message of %s for an unregistered name is recognized",
    (_registry, [domain, text]) => {
      expect(readWhois(text, domain)).toEqual({ kind: "unregistered" });
    },
  );
});

describe("rate limits", () => {
  test.each(Object.entries(texts.limited))(
    "a rate limit message of %s is never read as unregistered",
    (_registry, [text, retryAfterMs]) => {
      for (const domain of ["example-banc.uk", "example-banc.com.br"])
        expect(readWhois(text, domain)).toEqual({ kind: "limited", retryAfterMs });
    },
  );

  test("a record with a rate limit message above it is still read as a record", () => {
    const reduced = `% Query rate limit exceeded. Reduced information.\n\n${texts.br}`;
    expect(readWhois(reduced, "example-banc.com.br")).toMatchObject({ kind: "registered" });
  });
});

describe("unclear responses", () => {
  test.each([
    ["an empty response", ""],
    ["a page of HTML", "<html><body><h1>It works!</h1></body></html>"],
    ["a record about another name", texts.com.replace("EXAMPLE-BANC.COM", "EXAMPLE-BANK.COM")],
    ["prose", "Welcome to the whois server. Our terms of use apply.\n"],
    ["a name that is kept back", "example-banc.com\nThis name is reserved by the registry.\n"],
  ])("%s is unclear", (_what, text) => {
    expect(readWhois(text, "example-banc.com").kind).toBe("unclear");
  });
});

test("hidden characters that a registrant entered are escaped", () => {
  const text = texts.registrar.replace("Harbour Holdings Ltd", "Harbour\u202e \u0007Ltd");
  const reading = readWhois(text, "example-banc.com");
  expect(JSON.stringify(reading)).not.toContain("\u202e");
  expect(reading).toMatchObject({ registration: { registrant_organization: "Harbour\\u{202e} \\u{7}Ltd" } });
});

test("hostile text is read in time proportional to its length", () => {
  // Far more than a server may send, so that quadratic work on one of these texts would never end.
  const bytes = 1 << 20;
  const pieces = [
    "\n",
    " ",
    ": ",
    "a: b\n",
    "[a] b\n",
    "%",
    "limit ",
    "a".repeat(99) + "\n",
    "No match\n",
    '"',
    "domain ",
    ".",
    "(",
  ];
  for (const piece of pieces) {
    const text = piece.repeat(Math.ceil(bytes / piece.length)).slice(0, bytes);
    expect(readWhois(text, "example-banc.com")).toBeDefined();
  }
}, 60_000);

test("the server is read from IANA's response about a top-level domain", () => {
  const text =
    "% IANA WHOIS server\n\ndomain:       EXAMPLE\n\norganisation: Example Registry\n\nwhois:        whois.nic.example\n\nstatus:       ACTIVE\n";
  expect(readReferral(text)).toBe("whois.nic.example");
  expect(readReferral("domain: EXAMPLE\nstatus: ACTIVE\n")).toBeUndefined();
});

test("a referral to the port of another service is rejected", () => {
  expect(parseServer("whois.example")).toEqual({ host: "whois.example", port: 43 });
  expect(parseServer("rwhois://rwhois.example:4321/")).toEqual({ host: "rwhois.example", port: 4_321 });
  for (const text of [
    "mail.example:25",
    "x.example:0",
    "x.example:65536",
    "http://x.example/",
    "x y",
    "../x",
  ])
    expect({ text, server: parseServer(text) }).toEqual({ text, server: undefined });
});

import { afterEach, beforeEach, expect, test } from "bun:test";
import { openDatabase } from "../../../src/platform/database/database.ts";
import { analyst, openStores, type Stores } from "../../support/stores.ts";

let stores: Stores;
beforeEach(() => void (stores = openStores()));
afterEach(() => stores.dispose());

const shown = () =>
  stores.domains.list().map(({ domain, origin, enabled }) => `${domain} ${origin} ${enabled}`);

test("a domain is found in any form and case, and is stored as an A-label", () => {
  stores.domains.add({ domain: "Bücher-Laden.DE." }, { by: analyst });
  for (const form of ["bücher-laden.de", "BÜCHER-LADEN.de", "xn--bcher-laden-thb.de"]) {
    expect(stores.domains.find(form)?.domain).toBe("xn--bcher-laden-thb.de");
  }
  expect(stores.domains.find("not a name")).toBeUndefined();
});

test("reconciling twice changes nothing, and a domain that is no longer declared is disabled, not deleted", () => {
  const before = JSON.stringify(stores.domains.list());
  stores.clock.advance(60_000);
  stores.domains.reconcile([{ domain: "example-shop.com" }, { domain: "example-bank.com" }]);
  expect(JSON.stringify(stores.domains.list())).toBe(before);
  stores.domains.reconcile([{ domain: "example-shop.com" }]);
  expect(shown()).toEqual(["example-bank.com file false", "example-shop.com file true"]);
  stores.domains.reconcile([
    { domain: "example-shop.com" },
    { domain: "example-bank.com", keywords: ["exbank"] },
  ]);
  expect(shown()).toEqual(["example-bank.com file true", "example-shop.com file true"]);
  expect(stores.domains.find("example-bank.com")!.keywords).toEqual(["exbank"]);
});

test("a domain added at run time survives reconciling, and belongs to the file once it is declared there", () => {
  stores.domains.add({ domain: "example-mail.com" }, { by: analyst });
  stores.domains.reconcile([{ domain: "example-shop.com" }]);
  expect(shown()).toContain("example-mail.com runtime true");
  stores.domains.reconcile([{ domain: "example-mail.com" }]);
  expect(shown()).toContain("example-mail.com file true");
});

test.each([
  ["example-bank.com", "protected already"],
  ["no dots", "not a domain name"],
  ["1.2.3.4", "not a domain name"],
  ["com", "a label before its public suffix"],
  ["gov.uk", "is a public suffix, so it needs at least one brand keyword"],
  ["x.com", "has a label of one character, so it needs at least one brand keyword"],
  ["online.de", 'has the label "online", which names of every trade contain, so it needs'],
  ["https://www.example.org/login", 'did you mean "www.example.org"?'],
])("adding %p fails with the reason: %s", (domain, reason) => {
  expect(() => stores.domains.add({ domain }, { by: analyst })).toThrow(reason);
});

test("a domain without a usable label is known by its keywords, and keeps at least one", () => {
  for (const domain of ["gov.uk", "x.com", "online.de"])
    stores.domains.add({ domain, keywords: ["examplebrand"] }, { by: analyst });
  expect(() => stores.domains.change("gov.uk", { keywords: [] }, { by: analyst })).toThrow("needs at least");
  const found = stores.domains.matcher().match("examplebrand-login.net");
  expect(found.map(({ protectedDomain }) => protectedDomain)).toEqual(["gov.uk", "online.de", "x.com"]);
});

test("a declared domain cannot be removed; one added at run time is removed, or disabled if it has threats", () => {
  expect(() => stores.domains.remove("example-bank.com", { by: analyst })).toThrow("configuration file");
  expect(() => stores.domains.remove("unknown.com", { by: analyst })).toThrow("not a protected domain");
  stores.domains.add({ domain: "example-mail.com" }, { by: analyst });
  expect(stores.domains.remove("example-mail.com", { by: analyst })).toBe("removed");
  stores.domains.add({ domain: "example-mail.com" }, { by: analyst });
  stores.threats.record([
    {
      domain: "examp1e-mail.com",
      match: { protectedDomain: "example-mail.com", type: "homograph", similarity: 1, reasons: [] },
      source: "feed",
      seenAt: stores.clock.now(),
    },
  ]);
  expect(stores.domains.remove("example-mail.com", { by: analyst })).toBe("disabled");
  expect(stores.threats.list({ protectedDomain: "example-mail.com" }, { page: 1, perPage: 20 }).total).toBe(
    1,
  );
  expect(stores.domains.matcher().match("example-mail-login.com")).toEqual([]);
});

test("the matcher reflects changes at once, even of another process, and is only rebuilt when domains change", () => {
  const lookAlike = "secure-example-mail.com";
  const before = stores.domains.matcher();
  expect(before.match(lookAlike)).toEqual([]);

  const other = openDatabase(stores.path);
  other.sqlite.run("UPDATE protected_domains SET updated_at = updated_at + 1");
  expect(stores.domains.matcher()).toBe(before);
  other.sqlite.run(
    "UPDATE protected_domains SET domain = 'example-mail.com' WHERE domain = 'example-shop.com'",
  );
  other.close();
  expect(stores.domains.matcher().match(lookAlike)).toMatchObject([{ protectedDomain: "example-mail.com" }]);
});

test("protected and allowed names and their subdomains never match", () => {
  stores.domains.reconcile([
    { domain: "example-bank.com", allow: ["example-bank.de", "my-example-bank.com"] },
  ]);
  const matcher = stores.domains.matcher();
  for (const own of [
    "example-bank.com",
    "www.example-bank.com",
    "example-bank.de",
    "login.example-bank.de",
    "a.b.my-example-bank.com",
  ]) {
    expect(matcher.match(own)).toEqual([]);
  }
  expect(matcher.match("evil-example-bank.de")).toHaveLength(1);
});

test("two similar protected domains and their subdomains are not look-alikes of each other", () => {
  stores.domains.reconcile([
    { domain: "example-bank.com" },
    { domain: "example-bank.de", allow: ["example-bank.fr"] },
  ]);
  const matcher = stores.domains.matcher();
  for (const own of ["example-bank.de", "www.example-bank.com", "example-bank.fr", "a.example-bank.fr"]) {
    expect(matcher.match(own)).toEqual([]);
  }
  expect(matcher.match("example-bank.nl").map(({ protectedDomain }) => protectedDomain)).toEqual([
    "example-bank.com",
    "example-bank.de",
  ]);
});

test("the matcher reflects changed keywords and allowed names at once, and repeating a change writes nothing", () => {
  const { domains, clock } = stores;
  domains.add({ domain: "example-mail.com", keywords: ["exmail"] }, { by: analyst });
  expect(domains.matcher().match("kestrelpost-login.net")).toEqual([]);
  const changed = domains.change(
    "EXAMPLE-mail.com.",
    {
      keywords: ["KestrelPost", "kestrelpost"],
      allow: ["Müller.de"],
    },
    { by: analyst },
  );
  expect(changed).toMatchObject({
    keywords: ["kestrelpost"],
    allow: ["xn--mller-kva.de"],
    origin: "runtime",
  });
  expect(domains.matcher().match("kestrelpost-login.net")).toMatchObject([
    { protectedDomain: "example-mail.com" },
  ]);
  clock.advance(1_000);
  expect(domains.change("example-mail.com", { keywords: ["kestrelpost"] }, { by: analyst })).toEqual(changed);
  domains.change("example-mail.com", { allow: ["kestrelpost-login.net"] }, { by: analyst });
  expect(domains.find("example-mail.com")!.keywords).toEqual(["kestrelpost"]);
  expect(domains.matcher().match("www.kestrelpost-login.net")).toEqual([]);
});

test("changing a declared, disabled or unknown domain fails with the reason", () => {
  const { domains } = stores;
  const change = (domain: string) => () => domains.change(domain, { keywords: ["word"] }, { by: analyst });
  expect(change("example-bank.com")).toThrow("declared in the configuration file; change it there");
  expect(change("unknown.com")).toThrow("unknown.com is not a protected domain");
  expect(change("x\u202ey.com")).toThrow("x\\u{202e}y.com is not a protected domain");
  domains.reconcile([{ domain: "example-shop.com" }]);
  expect(change("example-bank.com")).toThrow("no longer protected; add it again");
});

test.each([
  ["keywords", { keywords: ["good", "not a word"] }, 'the keyword "not a word" is not a word of 2 to 63'],
  ["keywords", { keywords: Array.from({ length: 101 }, (_, i) => `word${i}`) }, "at most 100"],
  ["allow", { allow: ["fine.com", "com"] }, 'the allowed name "com" is not a domain name with a label'],
  ["domain", { domain: "a\u0000b" }, 'the domain "a\\u{0}b" is not'],
] as const)("an invalid value fails with the name of its field: %s", (field, given, message) => {
  const add = () => stores.domains.add({ domain: "example-mail.com", ...given }, { by: analyst });
  expect(add).toThrow(message);
  expect(add).toThrow(expect.objectContaining({ field }));
  expect(stores.domains.find("example-mail.com")).toBeUndefined();
});

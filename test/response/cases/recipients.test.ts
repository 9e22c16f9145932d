import { describe, expect, test } from "bun:test";
import {
  abuseDesks,
  authorityOf,
  browserLists,
  certificateAuthorities,
  deskOf,
  hostedSuffixes,
  hostedSuffixOf,
} from "../../../src/response/cases/recipients/directory.ts";
import {
  type RecipientCase,
  recipientsOf,
  usableEmail,
} from "../../../src/response/cases/recipients/recipients.ts";
import type { Facts, HostNetwork } from "../../../src/facts/enrichment/facts/facts.ts";
import { recipientKinds } from "../../../src/platform/vocabulary/cases.ts";

const at = Date.parse("2026-11-22T12:00:00Z");
const network: HostNetwork = {
  first: "104.152.0.0",
  last: "104.152.7.255",
  organization: "Example Host LLC",
  abuseEmail: "abuse@example-host.example",
  source: "rdap",
  url: "https://rdap.arin.net/registry/ip/104.152.1.1",
  addresses: ["104.152.1.1"],
  at,
};
const existence = {
  exists: "yes" as const,
  addresses: ["104.152.1.1"],
  mailServers: [],
  nameServers: ["ns1.example.net"],
  wildcard: false,
};
const page = {
  finalUrl: "https://examp1e-bank.com/",
  redirects: [],
  status: 200,
  title: "Sign in",
  asksForPassword: true,
  asksForCard: false,
  namesBrand: true,
  redirectsToProtected: false,
  certificate: { issuer: "Let's Encrypt, R11", notBefore: "", notAfter: "" },
};
const live: Facts = { existence, page, networks: [network], unknown: {} };
const threat: RecipientCase["threat"] = {
  type: "homograph",
  domain: "examp1e-bank.com",
  protectedDomain: "example-bank.com",
  whois: {
    source: "rdap",
    registrar: "Cheap Names, Inc.",
    abuse_email: "abuse@cheap-names.example",
    fetched_at: "2026-11-22T10:00:00.000Z",
  },
};
const kindsOf = (given: RecipientCase) => recipientsOf(given).map(({ kind, name }) => `${kind}: ${name}`);
const listNames = browserLists.map(({ name }) => `browser_list: ${name}`);

describe("the order", () => {
  test("Of a live page, the hoster is asked first, then registrar, registry, browser lists and certificate authority", () => {
    expect(kindsOf({ threat, facts: live })).toEqual([
      "hoster: Example Host LLC",
      "registrar: Cheap Names, Inc.",
      "registry: registry of .com",
      ...listNames,
      "certificate_authority: Let's Encrypt",
    ]);
    const [hoster, registrar, ...others] = recipientsOf({ threat, facts: live });
    const kinds = new Set([hoster, registrar, ...others].map((recipient) => recipient?.kind));
    expect([...kinds].sort()).toEqual(recipientKinds.toSorted());
    expect(hoster).toMatchObject({
      email: "abuse@example-host.example",
      source: { from: "address_rdap", url: network.url, at },
    });
    expect(registrar).toMatchObject({
      email: "abuse@cheap-names.example",
      source: { from: "rdap", at: Date.parse("2026-11-22T10:00:00Z") },
    });
  });

  test.each<[string, Facts]>([
    ["parked", { existence: { ...existence, parked: "Sedo" }, networks: [network], unknown: {} }],
    [
      "used for email only",
      { existence: { ...existence, addresses: [], mailServers: ["mx.example.net"] }, unknown: {} },
    ],
    ["no longer in DNS", { existence: { ...existence, exists: "no", addresses: [] }, unknown: {} }],
  ])("Of a domain that is %s, the registrar is asked first, and no browser list", (_state, facts) => {
    const found = recipientsOf({ threat, facts });
    expect(found[0]).toMatchObject({ kind: "registrar", email: "abuse@cheap-names.example" });
    expect(found.map(({ kind }) => kind)).not.toContain("browser_list");
  });

  test("Of a page on a host that strangers share, its operator is asked, and nobody to suspend the domain", () => {
    const copied = { ...threat, type: "cloned_site" as const, domain: "form.jotform.com" };
    const found = kindsOf({ threat: copied, facts: live });
    expect(found).toEqual(["hoster: operator of jotform.com", "hoster: Example Host LLC", ...listNames]);
  });

  test("Of a name below the suffix of a hosting service, its owner is asked, and neither registrar nor registry", () => {
    const found = kindsOf({ threat: { ...threat, domain: "examp1e-bank.web.app" }, facts: live });
    expect(found.slice(0, 2)).toEqual(["hoster: Firebase Hosting (Google)", "hoster: Example Host LLC"]);
    expect(found.filter((text) => text.startsWith("regist"))).toEqual([]);
    const [unknown] = recipientsOf({
      threat: { ...threat, domain: "examp1e-bank.duckdns.org" },
      facts: live,
    });
    expect(unknown).toMatchObject({
      name: "owner of duckdns.org",
      note: expect.stringContaining("abuse desk"),
    });
    expect(unknown!.email).toBeUndefined();
  });

  test("Nothing but the name is needed", () => {
    const found = recipientsOf({ threat: { ...threat, whois: {} }, facts: undefined });
    expect(found.map(({ kind }) => kind)).toEqual([
      "registrar",
      "registry",
      ...browserLists.map(() => "browser_list" as const),
    ]);
    expect(found[0]).toMatchObject({ name: "registrar", note: expect.stringContaining("ICANN") });
  });
});

describe("contacts", () => {
  test("A registrar that also hosts the page is listed once", () => {
    const facts = { ...live, networks: [{ ...network, abuseEmail: "Abuse@Cheap-Names.example" }] };
    const emails = recipientsOf({ threat, facts }).map(({ email }) => email?.toLowerCase());
    expect(emails.filter((email) => email === "abuse@cheap-names.example")).toHaveLength(1);
  });

  test("Several networks are several hosters, and a network of an address that the name has no longer is none", () => {
    const second = {
      ...network,
      organization: "Other Host",
      abuseEmail: "abuse@other.example",
      addresses: ["2a01::1"],
    };
    const old = {
      ...network,
      organization: "Old Host",
      abuseEmail: "abuse@old.example",
      addresses: ["9.9.9.9"],
    };
    const facts = {
      ...live,
      existence: { ...existence, addresses: ["104.152.1.1", "2a01::1"] },
      networks: [network, second, old],
    };
    const hosters = recipientsOf({ threat, facts }).filter(({ kind }) => kind === "hoster");
    expect(hosters.map(({ name }) => name)).toEqual(["Example Host LLC", "Other Host"]);
    const moved = { ...live, existence: { ...existence, addresses: ["8.8.8.8"] } };
    expect(recipientsOf({ threat, facts: moved })[0]).toMatchObject({
      name: "hosting provider of 8.8.8.8",
      note: expect.stringContaining("not been looked up"),
    });
  });

  test("A content network is reported to by its form, with the note that it does not host the page", () => {
    const facts = {
      ...live,
      networks: [{ ...network, organization: "Cloudflare, Inc.", abuseEmail: "abuse@cloudflare.com" }],
    };
    const [hoster] = recipientsOf({ threat, facts });
    expect(hoster).toMatchObject({
      name: "Cloudflare, Inc.",
      formUrl: "https://www.cloudflare.com/abuse/form",
      note: expect.stringContaining("does not host the page"),
    });
    expect(hoster!.email).toBeUndefined();
  });

  test("An untrusted certificate names no authority, and one from a certificate log does", () => {
    const issuers = ["CN=WE1, O=Google Trust Services, C=US"];
    const distrusted = {
      ...live,
      page: { ...page, certificate: { ...page.certificate, fault: "self-signed" } },
    };
    const of = (facts: Facts, logged: string[]) =>
      recipientsOf({ threat, facts, issuers: logged }).filter(({ kind }) => kind === "certificate_authority");
    expect(of(distrusted, [])).toEqual([]);
    expect(of(distrusted, issuers)).toMatchObject([{ name: "Google Trust Services" }]);
  });

  test("Names of third parties are escaped and limited", () => {
    const facts = { ...live, networks: [{ ...network, organization: `A\u202e${"b".repeat(500)}` }] };
    const [hoster] = recipientsOf({ threat, facts });
    expect(hoster?.name).toStartWith("A\\u{202e}bb");
    expect(hoster!.name.length).toBeLessThan(140);
  });

  test.each([
    ["two addresses", "abuse@a.example,abuse@b.example"],
    ["a header", "abuse@a.example\r\nBcc: x@b.example"],
    ["a comment", "abuse(x)@a.example"],
    ["a display name", "Abuse <abuse@a.example>"],
    ["a local part with a percent sign", "abuse%40b@a.example"],
    ["no host with a dot", "abuse@localhost"],
    ["an IP address", "abuse@[127.0.0.1]"],
    ["more than 254 characters", `abuse@${"a.".repeat(130)}example`],
    ["a host at the look-alike", "abuse@mail.examp1e-bank.com"],
    ["the look-alike itself in another script", "abuse@EXAMP1E-bank.com."],
    ["the protected domain", "abuse@example-bank.com"],
  ])("An address with %s is never used", (_what, email) => {
    const found = recipientsOf({
      threat: { ...threat, whois: { ...threat.whois, abuse_email: email } },
      facts: live,
    });
    const registrar = found.find(({ kind }) => kind === "registrar");
    expect(registrar).toMatchObject({ note: expect.stringContaining("no abuse contact") });
    expect(registrar!.email).toBeUndefined();
  });

  test("An address with an international host name is converted to A-labels", () => {
    expect(usableEmail("abuse@bücher.example", { excluded: [] })).toBe("abuse@xn--bcher-kva.example");
  });
});

describe("the tables", () => {
  test.each(abuseDesks.map((row) => [row.name, row] as const))("%s is found by its example", (_name, row) => {
    expect(deskOf(row.example)).toBe(row);
  });

  test.each(hostedSuffixes.map((row) => [row.name, row] as const))(
    "Names below the domains of %s are reported to it, and not those domains themselves",
    (_name, row) => {
      expect(hostedSuffixOf(row.example)).toBe(row);
      for (const domain of row.domains) expect(hostedSuffixOf(domain)).toBeUndefined();
      const [first] = recipientsOf({ threat: { ...threat, domain: row.example }, facts: live });
      expect(first).toMatchObject({ kind: "hoster", name: row.name });
    },
  );

  test.each(certificateAuthorities.map((row) => [row.name, row] as const))(
    "%s is found by the issuer of its certificates, and not by a similar one",
    (_name, row) => {
      expect(authorityOf(row.example)).toBe(row);
      const [organization] = row.organizations;
      expect(authorityOf(`CN=x, O=${organization}, C=US`)).toBe(row);
      expect(authorityOf(`Not ${row.example}`)).toBeUndefined();
      expect(authorityOf(`CN=${organization}`)).toBeUndefined();
    },
  );

  test("Every row has a contact or says how to find one, only HTTPS URLs, and only plain addresses", () => {
    const rows = [...abuseDesks, ...hostedSuffixes, ...certificateAuthorities, ...browserLists].map(
      (row) => ({
        email: undefined as string | undefined,
        formUrl: undefined as string | undefined,
        source: undefined as string | undefined,
        ...row,
      }),
    );
    for (const { email, formUrl, source } of rows) {
      for (const url of [formUrl, source])
        if (url !== undefined) expect(new URL(url).protocol).toBe("https:");
      if (email !== undefined) expect(usableEmail(email, { excluded: [] })).toBe(email);
    }
    const contacts = [...hostedSuffixes, ...certificateAuthorities, ...browserLists];
    expect(contacts.filter(({ email, formUrl }) => email === undefined && formUrl === undefined)).toEqual([]);
  });
});

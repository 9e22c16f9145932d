import { describe, expect, test } from "bun:test";
import { traitsOf } from "../../../../src/response/cases/campaigns/traits.ts";
import type { Facts } from "../../../../src/facts/enrichment/facts/facts.ts";
import { phishingPage as page } from "../../../support/phishing-page.ts";

const facts: Facts = {
  existence: {
    exists: "yes",
    addresses: ["203.0.113.7"],
    nameServers: ["NS2.own.example", "ns1.own.example"],
    mailServers: [],
    wildcard: false,
  },
  registration: { registrar: "Registrar", registrar_iana_id: "9999", created_at: "2026-11-10T08:00:01Z" },
  page,
  unknown: {},
};

/** Values of the traits, as `reason value`. */
function valuesOf(
  changes: Partial<Facts>,
  { domain = "acme-login.net", serials = [] as string[], originals = [] as string[] } = {},
): string[] {
  const source = {
    seq: 1,
    domain,
    protectedDomain: "acme.com",
    status: "active" as const,
    firstSeen: 0,
    originals: new Set(originals),
    serials,
  };
  return traitsOf({ ...source, facts: { ...facts, ...changes } }).values.map(
    ({ reason, value }) => `${reason} ${value}`,
  );
}

const all = ["address 203.0.113.7", "page 5e", "favicon -1", "name_servers ns1.own.example ns2.own.example"];

describe("what a threat can have in common with others", () => {
  test("is its addresses, name servers, page and icon", () => {
    expect(valuesOf({})).toEqual(all);
  });

  test("is nothing of a host that parking services, sinkholes, delivery networks or website builders share", () => {
    const { existence } = facts;
    expect(valuesOf({ existence: { ...existence!, parked: "Sedo" } })).toEqual([]);
    expect(valuesOf({ existence: { ...existence!, sinkholed: "Shadowserver" } })).toEqual([]);
    expect(valuesOf({ page: { ...page, asksForPassword: false, parked: "for sale" } })).toEqual([]);
    const behindProxy = { ...existence!, addresses: ["104.21.7.7", "2606:4700::7", "127.0.0.1", "0.0.0.0"] };
    expect(valuesOf({ existence: behindProxy })).toEqual(all.slice(1));
    expect(valuesOf({}, { domain: "acme-login.pages.dev" })).toEqual(["page 5e", "favicon -1"]);
  });

  test("is nothing of the protected brand, to which a name redirects", () => {
    const redirect = { ...page, asksForPassword: false, redirectsToProtected: true };
    expect(valuesOf({ page: redirect })).toEqual([all[0]!, all[3]!]);
  });

  test("is nothing that the protected domains themselves have", () => {
    const own = [
      "addresses 203.0.113.7",
      "nameServers ns1.own.example ns2.own.example",
      "structure 5e",
      "favicon -1",
      "certificates names ab",
    ];
    // The certificate of the protected domain does not cover the name that was pointed to its address.
    const certificate = { issuer: "R11", notBefore: "", notAfter: "", fault: "name", namesHash: "ab" };
    const copied = { ...page, certificate: { ...certificate, identity: "sha256 77" } };
    expect(valuesOf({ page: copied }, { originals: own })).toEqual([]);
    expect(valuesOf({ page: copied })).toEqual(["certificate sha256 77", ...all]);
    const picture = (visualSimilarity: number) =>
      valuesOf({ screenshot: { at: 0, hash: "77", visualSimilarity } }, { originals: own });
    expect(picture(1)).toEqual([]);
    expect(picture(0.9)).toEqual(["screenshot 77"]);
  });

  test("is a serial number that an authority chose, but not one of a certificate that anybody can make", () => {
    const certificate = { issuer: "R11", notBefore: "", notAfter: "", namesHash: "ab" };
    const serial = "04aabbccddeeff00112233";
    const trusted = { ...page, certificate: { ...certificate, identity: "serial 4aabbccddeeff00112233" } };
    expect(valuesOf({ page: trusted })).toContain(`certificate serial ${serial.slice(1)}`);
    expect(valuesOf({ page: trusted })).toContain("certificate names ab");
    expect(valuesOf({}, { serials: [serial] })).toContain(`certificate serial ${serial.slice(1)}`);
    expect(valuesOf({}, { serials: ["01"] })).toEqual(all);
    const own = { ...page, certificate: { ...certificate, fault: "self-signed", identity: "sha256 77" } };
    expect(valuesOf({ page: own }).filter((value) => value.startsWith("certificate"))).toEqual([
      "certificate sha256 77",
    ]);
  });

  test("is a name that differs in its numbers only, unless the digits encode letters", () => {
    const numbered = (domain: string) =>
      valuesOf({}, { domain }).find((value) => value.startsWith("numbered"));
    expect(numbered("acme-login01.net")).toBe("numbered_name acme-login#.net");
    expect(numbered("acme7.net")).toBe("numbered_brand acme#.net");
    expect(numbered("acm3.net")).toBe("numbered_brand acm#.net");
    expect(numbered("acme-login.net")).toBeUndefined();
    expect(numbered("xn--acm-0ma1.net")).toBeUndefined();
  });

  test("is a time of registration, but not a date", () => {
    const registeredAt = (created_at: string) =>
      traitsOf({
        seq: 1,
        domain: "acme-login.net",
        protectedDomain: "acme.com",
        status: "active",
        firstSeen: 0,
        originals: new Set(),
        serials: [],
        facts: { ...facts, registration: { ...facts.registration!, created_at } },
      });
    expect(registeredAt("2026-11-10T08:00:01Z").registration).toMatchObject({
      registrar: "9999",
      label: "Registrar",
    });
    expect(registeredAt("2026-11-10T00:00:00Z").registration).toBeUndefined();
    expect(registeredAt("2026-11-10T00:00:00Z").order).toBe(registeredAt("2026-11-10T08:00:01Z").order!);
    expect(registeredAt("soon").order).toBeUndefined();
  });
});

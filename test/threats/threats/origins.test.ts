import { afterEach, expect, test } from "bun:test";
import type { CertificateSighting, Sighting } from "../../../src/threats/threats/record.ts";
import { analyst, openStores, type Stores } from "../../support/stores.ts";

const certificate: CertificateSighting = {
  issuer: "CN=R11, O=Let's Encrypt, C=US",
  serial: "04d1f0",
  notBefore: Date.parse("2026-01-15T11:00:00Z"),
  log: "Example log 2026h1",
  entryUrl: "https://log.example/2026h1/tile/data/000",
  index: 17,
  isVerified: true,
};

let stores: Stores;
afterEach(() => stores.dispose());

function open() {
  stores = openStores();
  const sighting = (more: Partial<Sighting>): Sighting => ({
    domain: "examp1e-bank.com",
    match: { protectedDomain: "example-bank.com", type: "homograph", similarity: 0.97, reasons: [] },
    source: "certificate_transparency",
    seenAt: stores.clock.now(),
    ...more,
  });
  const record = (more: Partial<Sighting>) => stores.threats.record([sighting(more)])[0]!;
  return { ...stores, record };
}

test("a threat keeps the certificate in which a log showed its name", () => {
  const { clock, record, threats } = open();
  const { threatId } = record({ certificate });
  expect(threats.origins(threatId)).toEqual({
    certificates: [{ ...certificate, seenAt: clock.now() }],
    urls: [],
  });
});

test("a precertificate and its certificate in several logs are one certificate of a threat", () => {
  const { record, threats } = open();
  const { threatId } = record({ certificate });
  record({ certificate: { ...certificate, index: 18 } });
  record({ certificate: { ...certificate, log: "Another log", index: 900 } });
  expect(threats.origins(threatId).certificates).toMatchObject([{ log: "Example log 2026h1", index: 17 }]);
});

test("a renewed certificate is another one, and the newest comes first", () => {
  const { record, threats } = open();
  const { threatId } = record({ certificate });
  record({ certificate: { ...certificate, serial: "05" } });
  expect(threats.origins(threatId).certificates.map(({ serial }) => serial)).toEqual(["05", "04d1f0"]);
});

test("a new certificate shows that the domain of a resolved threat is in use", () => {
  const { clock, record, threats } = open();
  const { threatId } = record({ certificate });
  threats.changeStatus([threatId], "resolved", { by: analyst });
  clock.advance(60_000);
  record({ certificate: { ...certificate, serial: "05" } });
  expect(threats.get(threatId)!.status).toBe("active");
});

test("a known certificate that another log shows later does not undo a decision", () => {
  const { clock, record, threats } = open();
  const { threatId } = record({ certificate });
  threats.changeStatus([threatId], "resolved", { by: analyst });
  clock.advance(60_000);
  record({ certificate: { ...certificate, log: "Another log", index: 3 } });
  expect(threats.get(threatId)!.status).toBe("resolved");
});

test("names without a certificate are distinguished by their place in the log", () => {
  const { record, threats } = open();
  const unknown = { ...certificate, issuer: "", serial: "", notBefore: null, isVerified: false };
  const { threatId } = record({ certificate: unknown });
  record({ certificate: unknown });
  record({ certificate: { ...unknown, index: 18 } });
  expect(threats.origins(threatId).certificates.map(({ index }) => index)).toEqual([18, 17]);
});

test("a threat keeps the latest 100 certificates and 50 addresses", () => {
  const { record, threats } = open();
  let id = "";
  for (let index = 0; index < 103; index++)
    id = record({
      certificate: { ...certificate, serial: index.toString(16) },
      url: `https://x/${index}`,
    }).threatId;
  const { certificates, urls } = threats.origins(id);
  expect(certificates).toHaveLength(100);
  expect(certificates.at(-1)!.serial).toBe("3");
  expect(urls.map(({ url }) => url).at(-1)).toBe("https://x/53");
});

test("an address that a source named is kept once, with the source", () => {
  const { clock, record, threats } = open();
  const url = "https://examp1e-bank.com/login?x=1";
  const { threatId } = record({ source: "feed", url });
  record({ source: "feed", url });
  expect(threats.origins(threatId).urls).toEqual([{ url, source: "feed", seenAt: clock.now() }]);
});

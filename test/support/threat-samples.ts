import { dirname, join } from "node:path";
import type { App } from "../../src/app/app.ts";
import type { Actor } from "../../src/access/audit/actor.ts";
import { changesBetween, threatFactsOf } from "../../src/facts/enrichment/facts/fact-changes.ts";
import { encode as encodePunycode } from "node:punycode";
import { createRegistrationResponses } from "../../src/facts/enrichment/registration-responses.ts";
import { nothingKnown, type Facts } from "../../src/facts/enrichment/facts/facts.ts";
import { createScreenshotFiles } from "../../src/facts/lookups/page/screenshot-files.ts";
import { createEnrichmentStore } from "../../src/facts/enrichment/store.ts";
import type { CertificateSighting, Sighting } from "../../src/threats/threats/record.ts";
import { webpOf } from "./pictures.ts";

/** Facts about a sign-in page that copies a bank's. */
export const phishingFacts: Facts = {
  existence: {
    exists: "yes",
    addresses: ["203.0.113.80", "2001:db8::80"],
    mailServers: ["mx1.mail.example"],
    nameServers: ["ns1.dns.example", "ns2.dns.example"],
    wildcard: false,
  },
  registration: {
    source: "rdap",
    registrar: "Example Registrar, Inc.",
    registrar_iana_id: "9999",
    created_at: "2026-11-10T08:00:00Z",
    expires_at: "2027-11-10T08:00:00Z",
    name_servers: ["ns1.dns.example", "ns2.dns.example"],
    status: ["client transfer prohibited"],
    dnssec: false,
    abuse_email: "abuse@registrar.example",
    abuse_phone: "+1 555 0100",
    fetched_at: "2026-11-20T08:00:00.000Z",
  },
  networks: [
    {
      first: "203.0.113.0",
      last: "203.0.113.255",
      name: "EXAMPLE-HOST",
      organization: "Example Host LLC",
      country: "US",
      asn: 64_501,
      abuseEmail: "abuse@example-host.example",
      source: "rdap",
      url: "https://rdap.registry.example/ip/203.0.113.80",
      addresses: ["203.0.113.80", "2001:db8::80"],
      at: Date.UTC(2026, 10, 20, 8),
    },
  ],
  page: {
    finalUrl: "https://exarnple-bank.com/login",
    redirects: ["https://exarnple-bank.com/"],
    status: 200,
    title: "Example Bank – Sign in to online banking",
    asksForPassword: true,
    asksForCard: false,
    namesBrand: true,
    redirectsToProtected: false,
    certificate: {
      issuer: "R11, Let's Encrypt",
      notBefore: "2026-11-10T09:00:00.000Z",
      notAfter: "2027-02-08T09:00:00.000Z",
    },
    faviconHash: "-1255347784",
  },
  unknown: {},
};

/** Facts in which every text that an attacker controls is `text`. */
export function hostileFacts(text: string): Facts {
  const many = Array.from({ length: 40 }, () => text);
  return {
    existence: {
      exists: "yes",
      addresses: many,
      mailServers: many,
      nameServers: many,
      canonicalName: text,
      parked: text,
      wildcard: true,
    },
    registration: {
      source: "whois",
      registrar: text,
      registrar_iana_id: text,
      registrant_organization: text,
      registrant_country: text,
      created_at: text,
      name_servers: many,
      status: many,
      abuse_email: "abuse@registrar.example",
      abuse_phone: text,
    },
    page: {
      finalUrl: `https://evil.example/${text}`,
      redirects: many,
      status: 200,
      title: text,
      asksForPassword: true,
      asksForCard: true,
      namesBrand: true,
      redirectsToProtected: false,
      parked: text,
      certificate: { issuer: text, notBefore: text, notAfter: text, fault: text },
      faviconHash: text,
    },
    networks: [
      {
        first: text,
        last: text,
        name: text,
        organization: text,
        country: text,
        abuseEmail: text,
        source: "whois",
        url: text,
        addresses: many,
        at: 0,
      },
    ],
    unknown: { existence: text, registration: text, networks: text, page: text, screenshot: text },
  };
}

/** A name of the maximum length, with one label that contains a bidirectional override and one of the widest letters. */
export const hostileName = `${"example-bank-".repeat(4)}login.xn--${encodePunycode("exa\u202emple\u200b")}.${"w".repeat(63)}.${"secure-".repeat(8)}x.xn--exmple-bank-p8h.xn--fiqs8s`;

/** Writes facts about a threat as a lookup at `at` does. */
export async function knowAbout(
  app: Pick<App, "database" | "threats">,
  id: string,
  facts: Facts,
  at: number,
): Promise<void> {
  const { database, threats } = app;
  const store = createEnrichmentStore(database);
  await store.admitNew(at, 1_000);
  const { seq } = threats.get(id)!;
  database.transaction(() => {
    threats.updateFacts(id, threatFactsOf(facts, at), changesBetween(nothingKnown, facts));
    store.saveFacts(seq, facts);
    store.saveCheck(seq, at, { rank: 4, dueAt: at + 86_400_000, step: 1, failures: 0 });
    createRegistrationResponses(database).save(seq, `{"ldhName":"${threats.get(id)!.domain}"}`, at);
  });
}

const signIn = (brand: number) => (x: number, y: number) =>
  y < 120
    ? brand
    : x > 400 && x < 880 && y > 220 && y < 640
      ? y > 330 && y < 380 && x > 440 && x < 840
        ? 255
        : 215
      : 250;

/** Stores screenshots of a page and of the protected page that it copies. */
export async function capture(app: Pick<App, "database">, id: string): Promise<void> {
  const pictures = createScreenshotFiles(join(dirname(app.database.path), "screenshots"));
  const domainId = createEnrichmentStore(app.database).protectedDomainIdOf(id)!;
  const [its, own] = await Promise.all([webpOf(1280, 800, signIn(60)), webpOf(1280, 800, signIn(90))]);
  await Promise.all([pictures.write(id, its), pictures.write(domainId, own)]);
}

/** Adds a threat with every fact and past decisions, one with hostile facts only, and one without facts. */
export async function seedThreatPages(app: App, by: Actor, hostile: string) {
  const now = Date.now();
  const sight = (
    domain: string,
    reasons: Sighting["match"]["reasons"],
    origins: Pick<Sighting, "certificate" | "url"> = {},
  ) =>
    app.threats.record([
      {
        ...origins,
        domain,
        match: { protectedDomain: "example-bank.com", type: "typosquatting", similarity: 0.9688, reasons },
        source: "scan",
        seenAt: now - 2 * 86_400_000,
      },
    ])[0]!.threatId;
  const certificate: CertificateSighting = {
    issuer: "CN=R11, O=Let's Encrypt, C=US",
    serial: "04d1f0a3c5b27e8890aa114f",
    notBefore: now - 2 * 86_400_000,
    log: "Example 'Log2027h1' log",
    entryUrl: "https://log.example/2027h1/tile/data/x003/x205/062",
    index: 820_495_915,
    isVerified: true,
  };
  const known = sight(
    "exarnple-bank.com",
    [
      { code: "whole_label", params: { label: "exarnple-bank", expected: "example-bank" } },
      { code: "confusable", params: { label: "exarnple-bank", position: 3, found: "rn", expected: "m" } },
    ],
    { certificate, url: "https://exarnple-bank.com/login?next=%2Faccount" },
  );
  await knowAbout(
    app,
    known,
    { ...phishingFacts, screenshot: { at: now, hash: "0", visualSimilarity: 0.9375 } },
    now - 3_600_000,
  );
  await capture(app, known);
  app.threats.notes.add(known, "Written to the registrar, ticket 4711.\nThey respond within a day.", { by });
  app.threats.changeStatus([known], "resolved", { by });
  app.threats.changeStatus([known], "active", { by: { channel: "api", name: "soc", address: "192.0.2.44" } });
  const hostileId = sight(
    hostileName,
    [
      { code: "whole_label", params: { label: hostile, expected: hostile } },
      { code: "confusable", params: { label: hostile, position: 5, found: hostile, expected: hostile } },
    ],
    { certificate: { ...certificate, issuer: hostile, log: hostile, isVerified: false }, url: hostile },
  );
  await knowAbout(app, hostileId, hostileFacts(hostile), now - 60_000);
  app.threats.notes.add(hostileId, hostile.slice(0, 3_000), { by });
  app.threats.changeStatus([hostileId], "resolved", {
    by: { channel: "api", name: hostile, address: hostile },
  });
  const unknown = sight("login-example-bank-verify.example-hosting.net", []);
  return { known, hostile: hostileId, unknown };
}

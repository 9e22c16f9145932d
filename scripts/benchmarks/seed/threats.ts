import type { Database } from "../../../src/platform/database/database.ts";
import { statement, valuesOf } from "../../../src/platform/database/statement.ts";
import { protectedDomains } from "../../../src/threats/domains/tables.ts";
import { createIdFactory } from "../../../src/platform/lib/ids.ts";
import { severityOf } from "../../../src/threats/threats/severity/severity.ts";
import { threats } from "../../../src/threats/threats/store/tables.ts";
import type { Registration } from "../../../src/platform/vocabulary/site.ts";
import { statuses, type ThreatSource, type ThreatType } from "../../../src/platform/vocabulary/threats.ts";
import type { Random } from "../random.ts";

const protectedDomainCount = 20;
const threatsPerTransaction = 10_000;
const hourMs = 3_600_000;
const yearMs = 365 * 24 * hourMs;

export interface SeededDomain {
  seq: number;
  label: string;
}

/** Protects domains from a year before `until` on. */
export function seedDomains(database: Database, until: number): SeededDomain[] {
  const ids = createIdFactory(
    () => until,
    (bytes) => crypto.getRandomValues(bytes),
  );
  const kinds = ["bank", "pay", "mail", "shop", "cloud"];
  const labels = Array.from(
    { length: protectedDomainCount },
    (_, index) => `example-${kinds[index % kinds.length]}-${index}`,
  );
  return labels.map((label) => {
    const row = database.query
      .insert(protectedDomains)
      .values({
        id: ids.next("protectedDomain"),
        domain: `${label}.com`,
        keywords: [],
        allow: [],
        origin: "runtime",
        enabled: true,
        createdAt: until - yearMs,
        updatedAt: until - yearMs,
      })
      .returning({ seq: protectedDomains.seq })
      .get();
    return { seq: row.seq, label };
  });
}

/** Inserts threats that were found in the year before `until`. */
export function seedThreats(
  database: Database,
  {
    random,
    domains,
    count,
    until,
  }: { random: Random; domains: SeededDomain[]; count: number; until: number },
): void {
  let now = until - yearMs;
  const ids = createIdFactory(
    () => now,
    (bytes) => random.fill(bytes),
  );
  const insert = statement(database, (query) =>
    query
      .insert(threats)
      .values(
        valuesOf(
          threats,
          "id",
          "protectedDomainSeq",
          "domain",
          "type",
          "status",
          "severity",
          "similarity",
          "source",
          "reasons",
          "severityReasons",
          "firstSeen",
          "createdAt",
          "statusChangedAt",
          "decidedAt",
          "changedAt",
          "ipAddress",
          "registrar",
          "nameServer",
          "whois",
          "screenshotToken",
        ),
      ),
  );
  for (let written = 0; written < count; written += threatsPerTransaction) {
    const size = Math.min(threatsPerTransaction, count - written);
    database.transaction(() => {
      for (let index = written; index < written + size; index++) {
        now = until - yearMs + Math.floor((index / count) * yearMs);
        insert.run(threatRow(random, domains, ids.next("threat"), index, now));
      }
    });
  }
}

const letters = "abcdefghijklmnopqrstuvwxyz";
const suffixes = ["com", "net", "org", "info", "top", "xyz", "online", "shop", "co", "ru"];
const registrars = [
  "NameCheap, Inc.",
  "GoDaddy.com, LLC",
  "NameSilo, LLC",
  "Gname.com Pte. Ltd.",
  "PDR Ltd.",
];
const types: ThreatType[] = [
  "typosquatting",
  "combosquatting",
  "homograph",
  "tld_squatting",
  "levelsquatting",
];
const sources: ThreatSource[] = ["scan", "feed", "feed", "certificate_transparency", "submission"];

/** Half of the threats are enriched, 7 of 10 are active, and the number of threats per domain varies widely. */
function threatRow(random: Random, domains: SeededDomain[], id: string, index: number, now: number) {
  // The square favors the first domains: the first has a fifth of all threats, the last a fortieth.
  const domain = domains[Math.floor(random.unit() ** 2 * domains.length)]!;
  const type = random.pick(types);
  const similarity = Math.round((0.75 + random.unit() * 0.25) * 10_000) / 10_000;
  const name = `${domain.label}-${random.text(letters, 4)}${index.toString(36)}.${random.pick(suffixes)}`;
  const lookAlike = { domain: name, protectedDomain: `${domain.label}.com`, type, similarity, reasons: [] };
  const { severity, reasons: severityReasons } = severityOf(lookAlike);
  const statusDraw = random.unit();
  const enriched = random.unit() < 0.5;
  const statusChangedAt = statusDraw < 0.7 ? now : now + Math.floor(random.unit() ** 3 * 96 * hourMs);
  return {
    id,
    protectedDomainSeq: domain.seq,
    domain: name,
    type,
    status: statuses[statusDraw < 0.7 ? 0 : statusDraw < 0.9 ? 1 : 2],
    severity,
    severityReasons,
    similarity,
    source: random.pick(sources),
    reasons: [{ code: "label_part", params: { label: domain.label, position: 0, found: domain.label } }],
    // Sources report a name some hours after they saw it.
    firstSeen: now - Math.floor(random.unit() ** 3 * 48 * hourMs),
    createdAt: now,
    statusChangedAt,
    decidedAt: statusDraw < 0.7 ? null : statusChangedAt,
    changedAt: statusChangedAt,
    ipAddress: enriched ? `198.${18 + random.below(2)}.${random.below(256)}.${random.below(256)}` : null,
    registrar: enriched ? random.pick(registrars) : null,
    nameServer: enriched ? `ns1.host-${Math.floor(random.unit() ** 3 * 5_000)}.example` : null,
    whois: enriched ? registration(random, now) : {},
    screenshotToken: random.text(`${letters}${letters.toUpperCase()}0123456789-_`, 22),
  };
}

function registration(random: Random, now: number): Registration {
  return {
    source: "rdap",
    registrar: random.pick(registrars),
    registrar_iana_id: String(random.below(2000)),
    created_at: new Date(now - random.below(30) * 24 * hourMs).toISOString(),
    expires_at: new Date(now + yearMs).toISOString(),
    name_servers: ["ns1.example.net", "ns2.example.net"],
    status: ["client transfer prohibited"],
    dnssec: false,
    fetched_at: new Date(now).toISOString(),
  };
}

import { existsSync, readFileSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Database as Sqlite } from "bun:sqlite";
import { hashKey, generateKey, shownLength } from "../../src/access/keys/key-format.ts";
import { apiKeys } from "../../src/access/keys/tables.ts";
import { openDatabase, type Database } from "../../src/database/database.ts";
import { statement, valuesOf } from "../../src/database/statement.ts";
import { protectedDomains } from "../../src/domains/tables.ts";
import { createIdFactory } from "../../src/lib/ids.ts";
import { severityOf } from "../../src/threats/severity/severity.ts";
import { threats } from "../../src/threats/store/tables.ts";
import { statuses, type ThreatSource, type ThreatType } from "../../src/vocabulary/threats.ts";
import { type Registration } from "../../src/vocabulary/registration.ts";
import { randomFrom, type Random } from "./random.ts";
import { withoutIndexes } from "./without-indexes.ts";

/** Keys of plan `pro`, so that the rate limiter has to count. Together they allow 1.2 million requests per minute. */
const proKeyCount = 2_000;
const protectedDomainCount = 20;
const threatsPerTransaction = 10_000;
const databaseSeed = 20_260_101;

const hourMs = 3_600_000;
const yearMs = 365 * 24 * hourMs;
/**
 * Latest creation time: the start of this week, so that the console shows recent weeks as it does in use. Every run of the
 * week creates the same database.
 */
const weekMs = 7 * 24 * hourMs;
const lastCreatedAt = Math.floor(Date.now() / weekMs) * weekMs;

export interface SeededDatabase {
  path: string;
  proKeys: string[];
  enterpriseKey: string;
}

/** Returns a database with this number of threats. The first call creates it and keeps it in the temporary folder. */
export function seededDatabase(threatCount: number): SeededDatabase {
  const random = randomFrom(databaseSeed);
  const [enterpriseKey = "", ...proKeys] = Array.from({ length: proKeyCount + 1 }, () =>
    generateKey((bytes) => random.fill(bytes)),
  );
  const path = join(tmpdir(), `phishwatch-bench-${threatCount}-${fingerprint()}.db`);
  if (!existsSync(path)) {
    console.error(`Creating ${path} with ${threatCount} threats (once) ...`);
    const unfinished = `${path}.${process.pid}`;
    const database = openDatabase(unfinished);
    try {
      // An interrupted run discards the file, so writes need not be durable.
      database.sqlite.run("PRAGMA synchronous = OFF");
      seedKeys(database, enterpriseKey, proKeys);
      const domains = seedDomains(database);
      withoutIndexes(database.sqlite, "threats", () => seedThreats(database, random, domains, threatCount));
      database.sqlite.run("ANALYZE");
      database.sqlite.run("PRAGMA wal_checkpoint(TRUNCATE)");
      database.close();
      renameSync(unfinished, path);
    } finally {
      for (const ending of ["", "-wal", "-shm"]) rmSync(`${unfinished}${ending}`, { force: true });
    }
  }
  return { path, proKeys, enterpriseKey };
}

export interface ThreatSample {
  ids: string[];
  /** The protected domain with the most threats. */
  domain: string;
}

/** Returns random threats of a seeded database. */
export function sampleThreats(
  path: string,
  { threatCount, sampleSize, seed }: { threatCount: number; sampleSize: number; seed: number },
): ThreatSample {
  const database = new Sqlite(path, { readonly: true });
  const random = randomFrom(seed);
  const bySeq = database.query<{ id: string }, [number]>("SELECT id FROM threats WHERE seq = ?");
  const ids = Array.from({ length: sampleSize }, () => bySeq.get(1 + random.below(threatCount))!.id);
  const busiest = database
    .query<{ domain: string }, []>(
      `SELECT p.domain FROM protected_domains p JOIN threat_counts c ON c.protected_domain_seq = p.seq
       GROUP BY p.seq ORDER BY sum(c.total) DESC LIMIT 1`,
    )
    .get();
  database.close();
  return { ids, domain: busiest!.domain };
}

/** Returns a hash that changes with the schema and with this file. */
function fingerprint(): string {
  const hasher = new Bun.CryptoHasher("sha256");
  const migrations = join(import.meta.dir, "../../drizzle");
  hasher.update(readFileSync(join(migrations, "meta/_journal.json")));
  for (const name of readdirSync(migrations).sort()) {
    if (name.endsWith(".sql")) hasher.update(readFileSync(join(migrations, name)));
  }
  hasher.update(`${lastCreatedAt}`);
  hasher.update(readFileSync(import.meta.path));
  return hasher.digest("hex").slice(0, 12);
}

function seedKeys(database: Database, enterpriseKey: string, proKeys: string[]): void {
  const ids = createIdFactory(
    () => lastCreatedAt,
    (bytes) => crypto.getRandomValues(bytes),
  );
  const rowOf = (key: string, plan: "pro" | "enterprise", index: number) => ({
    id: ids.next("apiKey"),
    name: `bench-${plan}-${index}`,
    hash: hashKey(key),
    prefix: key.slice(0, shownLength),
    plan,
    scopes: ["threats:read" as const, "threats:write" as const],
    domains: [],
    origin: "runtime" as const,
    createdAt: lastCreatedAt,
  });
  database.transaction(() => {
    database.query
      .insert(apiKeys)
      .values(rowOf(enterpriseKey, "enterprise", 0))
      .run();
    for (const [index, key] of proKeys.entries()) {
      database.query
        .insert(apiKeys)
        .values(rowOf(key, "pro", index))
        .run();
    }
  });
}

interface SeededDomain {
  seq: number;
  label: string;
}

function seedDomains(database: Database): SeededDomain[] {
  const ids = createIdFactory(
    () => lastCreatedAt,
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
        createdAt: lastCreatedAt - yearMs,
        updatedAt: lastCreatedAt - yearMs,
      })
      .returning({ seq: protectedDomains.seq })
      .get();
    return { seq: row.seq, label };
  });
}

function seedThreats(database: Database, random: Random, domains: SeededDomain[], count: number): void {
  let now = lastCreatedAt - yearMs;
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
        now = lastCreatedAt - yearMs + Math.floor((index / count) * yearMs);
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

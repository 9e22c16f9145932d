import { existsSync, readFileSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Database as Sqlite } from "bun:sqlite";
import { hashKey, generateKey, shownLength } from "../../src/access/keys/key-format.ts";
import { apiKeys } from "../../src/access/keys/tables.ts";
import { openDatabase, type Database } from "../../src/platform/database/database.ts";
import { createIdFactory } from "../../src/platform/lib/ids.ts";
import { randomFrom } from "./random.ts";
import { countedAtEnd } from "./seed/counted-at-end.ts";
import { seedDomains, seedThreats } from "./seed/threats.ts";
import { withoutIndexes } from "./seed/without-indexes.ts";

/** Keys of plan `pro`, so that the rate limiter has to count. Together they allow 6 million requests per minute. */
const proKeyCount = 10_000;
const databaseSeed = 20_260_101;

/**
 * Latest creation time: the start of this week, so that the console shows recent weeks as it does in use. Every run of the
 * week creates the same database.
 */
const weekMs = 7 * 24 * 3_600_000;
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
      const domains = seedDomains(database, lastCreatedAt);
      const threats = { random, domains, count: threatCount, until: lastCreatedAt };
      countedAtEnd(database.sqlite, () =>
        withoutIndexes(database.sqlite, "threats", () => seedThreats(database, threats)),
      );
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

/** Returns a hash that changes with the schema and with the files that fill it. */
function fingerprint(): string {
  const hasher = new Bun.CryptoHasher("sha256");
  const migrations = join(import.meta.dir, "../../drizzle");
  hasher.update(readFileSync(join(migrations, "meta/_journal.json")));
  const folders = { [migrations]: ".sql", [join(import.meta.dir, "seed")]: ".ts" };
  for (const [folder, ending] of Object.entries(folders)) {
    for (const name of readdirSync(folder).sort()) {
      if (name.endsWith(ending)) hasher.update(readFileSync(join(folder, name)));
    }
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

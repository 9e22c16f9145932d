import { expect, test } from "bun:test";
import { randomFrom } from "../../scripts/benchmarks/random.ts";
import { countedAtEnd } from "../../scripts/benchmarks/seed/counted-at-end.ts";
import { seedDomains, seedThreats } from "../../scripts/benchmarks/seed/threats.ts";
import { openDatabase, type Database } from "../../src/platform/database/database.ts";

const until = Date.UTC(2026, 0, 1);
/** Two blocks of the list. */
const count = 4_200;

function seeded(insert: (database: Database, seed: () => void) => void): Database {
  const database = openDatabase(":memory:");
  const random = randomFrom(1);
  const domains = seedDomains(database, until);
  insert(database, () => seedThreats(database, { random, domains, count, until }));
  return database;
}

/** Returns the counts of all blocks together: both ways count alike, but divide the list at different threats. */
function countsOf({ sqlite }: Database) {
  const sumOf = (table: string) =>
    sqlite
      .query(
        `SELECT protected_domain_seq, status, severity, sum(total) AS total FROM ${table}
         GROUP BY protected_domain_seq, status, severity ORDER BY 1, 2, 3`,
      )
      .all();
  return { threats: sumOf("threat_counts"), blocks: sumOf("threat_list_block_counts") };
}

test("a seeded database has the counts that the triggers of the product write", () => {
  const byTriggers = seeded((_, seed) => seed());
  const atEnd = seeded((database, seed) => countedAtEnd(database.sqlite, seed));
  expect(countsOf(atEnd)).toEqual(countsOf(byTriggers));
  const wrong = atEnd.sqlite
    .query(
      `SELECT b.first_seen, b.seq FROM threat_list_blocks b
       WHERE total <> (SELECT sum(total) FROM threat_list_block_counts c
         WHERE protected_domain_seq = 0 AND (c.first_seen, c.seq) = (b.first_seen, b.seq))
       OR total NOT BETWEEN 1 AND 8192`,
    )
    .all();
  expect(wrong).toEqual([]);
  const blocks = atEnd.sqlite.query("SELECT total FROM threat_list_blocks").all();
  expect(blocks.length).toBe(2);
  const schemaOf = ({ sqlite }: Database) =>
    sqlite.query("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name").all();
  expect(schemaOf(atEnd)).toEqual(schemaOf(byTriggers));
  byTriggers.close();
  atEnd.close();
});

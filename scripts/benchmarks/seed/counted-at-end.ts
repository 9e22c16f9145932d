import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "bun:sqlite";

/** Migration that counts the threats of each block of the list. */
const blockMigration = join(import.meta.dir, "../../../drizzle/0054_add_list_blocks.sql");

/**
 * Runs `insert` without the triggers that count threats, and counts all of them at the end: in a table of a million
 * threats, the triggers took three times as long as the inserts.
 */
export function countedAtEnd(database: Database, insert: () => void): void {
  const triggers = database
    .query<{ name: string; sql: string }, []>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'threats'",
    )
    .all();
  for (const { name } of triggers) database.run(`DROP TRIGGER "${name}"`);
  insert();
  countThreats(database);
  for (const { sql } of triggers) database.run(sql);
}

function countThreats(database: Database): void {
  for (const table of ["threat_counts", "threat_list_block_counts", "threat_list_blocks"]) {
    database.run(`DELETE FROM ${table}`);
  }
  for (const statement of blockStatements()) database.run(statement);
  database.run(
    `INSERT INTO threat_counts (protected_domain_seq, status, severity, total)
     SELECT protected_domain_seq, status, severity, sum(total)
     FROM threat_list_block_counts GROUP BY protected_domain_seq, status, severity`,
  );
}

/** Returns the statements of the migration that fill its tables. */
function blockStatements(): string[] {
  return readFileSync(blockMigration, "utf8")
    .split("--> statement-breakpoint")
    .map((statement) => statement.replace(/^--.*$/gm, "").trim())
    .filter((statement) => /^(INSERT|UPDATE)\b/.test(statement));
}

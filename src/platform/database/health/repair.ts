import { Database as Sqlite } from "bun:sqlite";
import { closeSync, openSync } from "node:fs";
import { messageOf, StartError } from "../../lib/errors.ts";
import { replaceDatabase } from "../backup.ts";
import { compareAtOnce } from "./index-comparison.ts";
import { sqliteErrorCode } from "../files/errors.ts";
import { syncToDisk } from "../../lib/disk.ts";

/** Everything that SQLite's checks find in the file of a database. */
export interface Inspection {
  /** In the words of SQLite: damage of indexes and of the list of free pages, which follow from the tables. */
  repairable: string[];
  /** Damage of tables, which only a backup has. */
  lost: string[];
}

/** A damaged page causes many messages, so a file with more of them in its indexes is as good as unreadable. */
const messagesMax = 10_000;
/** Messages of SQLite about content that can be derived from the tables. */
const derivedPattern =
  /Bad ptr map entry|Failed to read ptrmap|^(Freelist: |Page \d+: never used|row \d+ missing from index |row \d+ values differ from index |wrong # of entries in index |non-unique entry in index )/;

/** Messages of SQLite about the content of a page, which do not name the tree that it belongs to. */
const contentPattern =
  /^(?:Multiple uses for byte \d+ of|Fragmentation of \d+ bytes reported as \d+ on) page (\d+)$/;

/** Checks all of a database that no process has open. */
export async function inspectDatabase(path: string): Promise<Inspection> {
  const sqlite = new Sqlite(path, { readwrite: true, create: false });
  try {
    const roots = new Set(
      sqlite.query("SELECT rootpage FROM sqlite_master WHERE type = 'index'").values().flat().map(Number),
    );
    const messages = checkAll(sqlite);
    const indexPages = new Set<string>();
    for (const message of messages) {
      const [, tree, page] = /^Tree (\d+) page (\d+)/.exec(message) ?? [];
      if (page !== undefined && roots.has(Number(tree))) indexPages.add(page);
    }
    const isDerived = (message: string) => {
      const tree = /^Tree (\d+)/.exec(message)?.[1];
      if (tree !== undefined && roots.has(Number(tree))) return true;
      const page = contentPattern.exec(message)?.[1];
      return derivedPattern.test(message) || (page !== undefined && indexPages.has(page));
    };
    // SQLite does not notice superfluous entries of partial indexes.
    const compared = messages.length === 0 ? await compareAtOnce(sqlite) : "ok";
    if (compared !== "ok") messages.push(compared);
    // Beyond the maximum, tables would be named that are not known here.
    const isComplete = messages.length < messagesMax;
    return {
      repairable: messages.filter(isDerived),
      lost: messages.filter((message) => !isComplete || !isDerived(message)),
    };
  } catch (error) {
    return { repairable: [], lost: [messageOf(error)] };
  } finally {
    sqlite.close();
  }
}

function checkAll(sqlite: Sqlite): string[] {
  const messages: string[] = [];
  try {
    const check = sqlite.query<{ integrity_check: string }, []>(`PRAGMA integrity_check(${messagesMax})`);
    for (const { integrity_check: text } of check.iterate()) messages.push(...text.split("\n"));
  } catch (error) {
    // It comes to all pages before it compares indexes, which cannot be done if one is unreadable.
    if (messages.length === 0) throw error;
  }
  return messages.filter((line) => line !== "ok" && !line.startsWith("*** in database"));
}

/**
 * Writes all rows of the tables to a new file, creates the indexes again, and replaces the database with it, if a check of the
 * new file finds nothing. The caller must hold the lock for serving, and have found no damage in the tables.
 * @param stamp time as a part of the name under which the damaged file is kept
 * @throws StartError with a message for the operator; nothing has changed then
 */
export function repairDatabase(path: string, stamp: string): { keptAs: string | undefined } {
  return replaceDatabase(path, stamp, (incoming) => {
    // Readable by its owner only. SQLite fills an empty file.
    closeSync(openSync(incoming, "wx", 0o600));
    const sqlite = new Sqlite(incoming, { readwrite: true, strict: true });
    try {
      rebuild(sqlite, path);
      const [[result] = []] = sqlite.query("PRAGMA integrity_check(1)").values();
      if (result !== "ok") throw new Error(`the new file is damaged: ${String(result)}`);
    } catch (error) {
      throw new StartError(`database ${path}: ${explainFailure(error)}`, { cause: error });
    } finally {
      sqlite.close();
    }
    syncToDisk(incoming);
  });
}

function explainFailure(error: unknown): string {
  const reason = messageOf(error);
  return sqliteErrorCode(error) === "SQLITE_CONSTRAINT_UNIQUE"
    ? `it cannot be repaired, because changes have used the damaged index: two rows have the same values (${reason}); restore a backup with 'phishwatch restore'`
    : `it could not be repaired: ${reason}; restore a backup with 'phishwatch restore'`;
}

interface SchemaRow {
  type: string;
  name: string;
  sql: string;
}

/** Reads nothing but tables, so it does not matter what is wrong with indexes. */
function rebuild(sqlite: Sqlite, path: string): void {
  sqlite.run("PRAGMA auto_vacuum = INCREMENTAL");
  sqlite.run("PRAGMA journal_mode = OFF");
  sqlite.run("PRAGMA synchronous = OFF");
  sqlite.run("PRAGMA foreign_keys = OFF");
  sqlite.run("ATTACH ? AS damaged", [path]);
  const schema = sqlite
    .query<SchemaRow, []>(
      "SELECT type, name, sql FROM damaged.sqlite_master WHERE sql IS NOT NULL ORDER BY rowid",
    )
    .all();
  const isOwn = ({ name }: SchemaRow) => !name.startsWith("sqlite_");
  const tables = schema.filter((row) => row.type === "table" && isOwn(row));
  for (const { sql } of tables) sqlite.run(sql);
  // Counters of sequences, and statistics of the planner. Otherwise, SQLite creates these tables when it needs them.
  if (schema.some(({ name }) => name === "sqlite_stat1")) sqlite.run("ANALYZE sqlite_master");
  const internal = sqlite
    .query<{ name: string }, []>(
      "SELECT name FROM main.sqlite_master WHERE name IN ('sqlite_sequence', 'sqlite_stat1')",
    )
    .all();
  for (const { name } of [...tables, ...internal]) {
    const quoted = `"${name.replaceAll('"', '""')}"`;
    // Without the limit, SQLite would copy the indexes of constraints page by page.
    sqlite.run(`INSERT INTO main.${quoted} SELECT * FROM damaged.${quoted} NOT INDEXED LIMIT -1`);
  }
  for (const row of schema) if (row.type !== "table" && isOwn(row)) sqlite.run(row.sql);
  sqlite.run("DETACH damaged");
}

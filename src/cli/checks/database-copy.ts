import { constants, Database as Sqlite } from "bun:sqlite";
import { statSync } from "node:fs";
import { compareAtOnce } from "../../platform/database/health/index-comparison.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import { waitingReadMax } from "./lookups.ts";

/** Tables whose rows a check needs, beside the threats that were reported. All other tables stay empty: they can be large. */
const copiedTables = [
  "__drizzle_migrations",
  "settings",
  "retention_notices",
  "protected_domains",
  "originals",
  "api_keys",
  "recipients",
  "subscriptions",
  "lists",
  "traps",
  "trap_addresses",
  "feed_files",
  "certificate_logs",
  "certificate_log_lists",
  "certificate_log_failures",
  "source_pauses",
  "feed_downloads",
  "archive_checks",
  "list_imports",
  "scans",
  "inspection_counts",
  "takedowns",
  "takedown_reports",
  "takedown_report_threats",
  // Tables of earlier versions, which migrations read.
  "webhook_endpoints",
  "beacons",
  "honeytokens",
  "honeytoken_addresses",
];
const busyTimeoutMs = 5_000;

/** A database in memory, as `serialize` returns it, and the state of the file that it was copied from. */
export interface DatabaseCopy {
  image: Uint8Array;
  /** First thing that is wrong with the pages or indexes of the file; "ok" if nothing is. */
  damage: string;
  /** Times of the events in the file; null without any. */
  events: { oldestAt: Instant; newestAt: Instant } | null;
}

/**
 * Copies the schema and the small tables of a database file into memory, without writing to its folder.
 * @throws an error of SQLite if the file cannot be read
 */
export async function copyToMemory(path: string): Promise<DatabaseCopy> {
  using memory = new Sqlite(
    ":memory:",
    constants.SQLITE_OPEN_READWRITE | constants.SQLITE_OPEN_CREATE | constants.SQLITE_OPEN_URI,
  );
  memory.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  memory.run("ATTACH ? AS file", [readOnlyUri(path)]);
  const [first] = memory.query<{ quick_check: string }, []>("PRAGMA file.quick_check(1)").all();
  memory.transaction(() => copySchema(memory))();
  const events = eventTimes(memory);
  memory.run("DETACH file");
  const pages = (first?.quick_check ?? "no result").replace(/\s+/g, " ");
  const damage = pages === "ok" ? await compareAll(path) : pages;
  return { image: memory.serialize(), damage, events };
}

/** A server can restart its write-ahead log between two slices. */
async function compareAll(path: string): Promise<string> {
  const { SQLITE_OPEN_READONLY, SQLITE_OPEN_URI } = constants;
  using sqlite = new Sqlite(readOnlyUri(path), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
  sqlite.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  sqlite.run("PRAGMA cache_size = -16384");
  return await compareAtOnce(sqlite);
}

/** Both ends of an index, so it is fast. */
function eventTimes(memory: Sqlite): DatabaseCopy["events"] {
  const hasEvents = memory.query("SELECT 1 FROM file.sqlite_master WHERE name = 'events'").get() !== null;
  if (!hasEvents) return null;
  const end = (which: "min" | "max") =>
    memory.query<{ at: Instant | null }, []>(`SELECT ${which}(created_at) AS at FROM file.events`).get()?.at;
  const [oldestAt, newestAt] = [end("min"), end("max")];
  return typeof oldestAt === "number" && typeof newestAt === "number" ? { oldestAt, newestAt } : null;
}

/**
 * A reader of a database in WAL mode creates the two side files if they are missing, and a reader that may not write
 * cannot delete them. Left behind by root, they would keep the server from starting. Without a write-ahead log, nobody
 * has the database open, so SQLite can treat the file as immutable and needs no side files.
 */
export function readOnlyUri(path: string): string {
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  const isOpen = statSync(`${path}-wal`, { throwIfNoEntry: false }) !== undefined;
  return `file:${encoded}?mode=ro${isOpen ? "" : "&immutable=1"}`;
}

interface SchemaRow {
  type: string;
  name: string;
  sql: string;
}

function copySchema(memory: Sqlite): void {
  const schema = memory
    .query<SchemaRow, []>(
      "SELECT type, name, sql FROM file.sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'",
    )
    .all();
  const tables = schema.filter(({ type }) => type === "table");
  for (const { sql } of tables) memory.run(sql);
  for (const { name } of tables.filter((table) => copiedTables.includes(table.name)))
    memory.run(`INSERT INTO main."${name}" SELECT * FROM file."${name}"`);
  if (tables.some(({ name }) => name === "takedowns"))
    memory.run(
      "INSERT INTO main.threats SELECT * FROM file.threats WHERE seq IN (SELECT threat_seq FROM file.takedowns)",
    );
  if (tables.some(({ name }) => name === "inspections"))
    memory.run(
      `INSERT INTO main.inspections SELECT * FROM file.inspections WHERE state = 'queued' ORDER BY seq LIMIT ${waitingReadMax}`,
    );
  // Afterward, because triggers would count the rows that are copied.
  for (const { type, sql } of schema) if (type !== "table") memory.run(sql);
}

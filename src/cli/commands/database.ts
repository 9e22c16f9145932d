import { jsonFields } from "../../platform/lib/key-names.ts";
import { constants, Database as Sqlite } from "bun:sqlite";
import { rmSync, statSync } from "node:fs";
import {
  computeGrowth,
  daysUntilFull,
  type Growth,
  readSamples,
  storeFoldersOf,
  untilFullText,
} from "../../operations/stores/growth.ts";
import {
  databaseStores,
  keptText,
  labelOf,
  measureStores,
  readTableSizes,
  type StoreName,
  type TableSize,
  tableSizesStatement,
} from "../../operations/stores/stores.ts";
import type { Config } from "../../platform/config/config.ts";
import { diskRoomFor } from "../../platform/lib/disk.ts";
import { freePageBytes } from "../../platform/database/pragmas.ts";
import { listUpgradeCopies } from "../../platform/database/upgrade-copies.ts";
import { readDatabaseVersion } from "../../platform/database/versions.ts";
import { fileStamp, type Instant, systemClock, toIsoTime } from "../../platform/lib/clock.ts";
import { bytesText } from "../../platform/lib/durations.ts";
import { counted, grouped } from "../../platform/lib/wording.ts";
import { loadConfiguration, requireDatabase } from "../appliance/configuration.ts";
import { readOnlyUri } from "../checks/database-copy.ts";
import { command, type CommandGroup, FailedError } from "../terminal/command.ts";
import { configFlag, jsonFlag, toggle } from "../terminal/flags.ts";
import { type Column, printJson, renderFacts, renderTable } from "../terminal/table.ts";
import type { Output, Terminal } from "../terminal/terminal.ts";
import { type Database, openDatabase } from "../../platform/database/database.ts";
import { readState, requireOwnLog, statePathOf } from "../../platform/database/files/state-file.ts";
import { releaseFreePages, rewriteDatabase } from "../../platform/database/health/housekeeping.ts";
import { takeServeLock } from "../../platform/database/lock.ts";
import { inspectDatabase, repairDatabase } from "../../platform/database/health/repair.ts";
import { visible } from "../../platform/lib/safe-text.ts";

const busyTimeoutMs = 5_000;

type DatabaseInfo = Awaited<ReturnType<typeof readInfo>>;
type StoreRow = DatabaseInfo["stores"][number];

const columns: Column<StoreRow>[] = [
  { title: "STORE", cell: ({ store }) => labelOf(store) },
  { title: "SIZE", cell: ({ bytes }) => bytesText(bytes), right: true },
  { title: "PER DAY", cell: ({ bytesPerDay }) => rateText(bytesPerDay), right: true },
  { title: "ROWS", cell: ({ rows }) => (rows === null ? "–" : grouped(rows)), right: true },
  { title: "OLDEST", cell: ({ oldestAt }) => (oldestAt === null ? "–" : toIsoTime(oldestAt).slice(0, 10)) },
  { title: "KEPT", cell: ({ kept }) => kept, elastic: true },
];

const tableColumns: Column<TableSize>[] = [
  { title: "TABLE", cell: ({ table }) => table },
  { title: "SIZE WITH INDEXES", cell: ({ bytes }) => bytesText(bytes), right: true },
];

export const info = command({
  name: "info",
  flags: { tables: toggle("--tables"), json: jsonFlag, config: configFlag },
  async run({ options, terminal }) {
    const config = await loadConfiguration(options.config, terminal.env);
    const path = requireDatabase(config, "yet; 'phishwatch serve' creates it");
    const found = await readInfo(path, config);
    if (options.json) printJson(terminal.out, toJson(found));
    else print(terminal, found, options.tables);
  },
});

async function readInfo(path: string, config: Config) {
  using sqlite = new Sqlite(readOnlyUri(path), constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI);
  sqlite.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  const [value] = sqlite.query<[string], []>(tableSizesStatement).values()[0] ?? ["[]"];
  const tables = readTableSizes(value).sort((one, other) => other.bytes - one.bytes);
  const folders = storeFoldersOf(path);
  const sizes = await measureStores(path, { tables, freeBytes: freePageBytes(sqlite), folders });
  const names = new Set(tables.map(({ table }) => table));
  const growth: Growth = computeGrowth(names.has("store_sizes") ? readSamples({ sqlite }) : []);
  const { freeBytes } = diskRoomFor(path);
  return {
    path,
    version: readDatabaseVersion(sqlite)?.version ?? null,
    fileBytes: statSync(path).size,
    logBytes: statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    freeDiskBytes: freeBytes,
    bytesPerDay: growth.bytesPerDay ?? null,
    daysUntilFull: daysUntilFull(freeBytes, growth) ?? null,
    daysMeasured: growth.days,
    stores: sizes.map(({ store, bytes }) => ({
      store,
      bytes,
      ...rowsOf(sqlite, store, names),
      bytesPerDay: growth.byStore.get(store) ?? null,
      /** How long its data are kept, for people. */
      kept: keptText(store, config),
    })),
    tables,
    copies: listUpgradeCopies(path).map((copy) => ({ ...copy, at: toIsoTime(copy.at) })),
  };
}

/** Null where rows are not counted. */
function rowsOf(
  sqlite: Sqlite,
  store: StoreName,
  tables: ReadonlySet<string>,
): { rows: number | null; oldestAt: Instant | null } {
  const definition = databaseStores.find((one) => one.store === store);
  // A database of an earlier version may lack the table.
  if (definition === undefined || !tables.has(definition.counted)) return { rows: null, oldestAt: null };
  const row = sqlite
    .query<{ rows: number; oldest: Instant | null }, []>(
      `SELECT count(*) AS rows, min(${definition.oldest}) AS oldest FROM ${definition.counted}`,
    )
    .get()!;
  return { rows: row.rows, oldestAt: row.oldest };
}

function print({ out }: Terminal, found: DatabaseInfo, withTables: boolean): void {
  out.write(
    renderFacts([
      ["Database", found.path],
      ["Version", found.version ?? "unreleased"],
      ["Size", `${bytesText(found.fileBytes)}, and ${bytesText(found.logBytes)} in the write-ahead log`],
      ["Growth", growthText(found)],
      ["Disk", `${bytesText(found.freeDiskBytes)} free${untilText(found.daysUntilFull)}`],
    ]),
  );
  out.write(`\n${renderTable(columns, found.stores, out.columns)}`);
  for (const { path, version, at, bytes } of found.copies)
    out.write(
      `\ncopy of version ${version}: ${path} (${bytesText(bytes)}, ${at.slice(0, 16).replace("T", " ")})`,
    );
  if (found.copies.length > 0) out.write("\n");
  if (withTables) out.write(`\n${renderTable(tableColumns, found.tables, out.columns)}`);
}

function growthText({ bytesPerDay, daysMeasured }: DatabaseInfo): string {
  if (bytesPerDay === null) return "not known yet: the server measures once a day, and two days are needed";
  return `${rateText(bytesPerDay)} per day, over ${counted(daysMeasured, "day")}`;
}

const untilText = (days: number | null) => (days === null ? "" : `; ${untilFullText(days)}`);

function rateText(bytesPerDay: number | null): string {
  if (bytesPerDay === null) return "–";
  return `${bytesPerDay < 0 ? "-" : "+"}${bytesText(Math.abs(bytesPerDay))}`;
}

function toJson({ stores, tables, copies, ...facts }: DatabaseInfo): object {
  const rounded = (bytesPerDay: number | null) => bytesPerDay && Math.round(bytesPerDay);
  return jsonFields({
    ...facts,
    bytesPerDay: rounded(facts.bytesPerDay),
    stores: stores.map((row) => jsonFields({ ...row, bytesPerDay: rounded(row.bytesPerDay) })),
    tables,
    copies,
  });
}

export const compact = command({
  name: "compact",
  flags: { rewrite: toggle("--rewrite"), dryRun: toggle("--dry-run"), config: configFlag },
  async run({ options, terminal }) {
    const config = await loadConfiguration(options.config, terminal.env);
    const path = requireDatabase(config, "yet; 'phishwatch serve' creates it");
    const found = readState(path)?.quickCheck?.result ?? "ok";
    if (found !== "ok")
      throw new FailedError(
        `${path} is damaged (${found}); stop the server, and run 'phishwatch database repair'`,
      );
    using _lock = options.rewrite && !options.dryRun ? takeServeLock(path) : undefined;
    const database = openDatabase(path, {
      beforeMigration() {
        throw new FailedError(
          "the database is of an earlier version; upgrade it first: phishwatch serve --migrate-only",
        );
      },
    });
    try {
      if (options.rewrite) rewrite(database, terminal, options.dryRun);
      else await release(database, terminal, options.dryRun);
    } finally {
      database.close();
    }
  },
});

async function release(database: Database, terminal: Terminal, isDry: boolean): Promise<void> {
  const free = freePageBytes(database.sqlite);
  const before = statSync(database.path).size;
  terminal.err.write(
    `${database.path}: ${bytesText(before)}, of which ${bytesText(free)} are free; no additional room is needed\n`,
  );
  if (isDry) return;
  const stop = terminal.interruption();
  const result = await releaseFreePages(database, { isStopped: () => stop.aborted });
  if (result === "not_possible")
    throw new FailedError(
      "this file was created by an earlier version and cannot release space; stop the server and run: phishwatch database compact --rewrite",
    );
  terminal.out.write(
    `released ${bytesText(Math.max(0, before - statSync(database.path).size))}; the file has ${bytesText(statSync(database.path).size)}\n`,
  );
  if (result === "busy")
    terminal.err.write(
      "phishwatch: note: the server reads from the write-ahead log; the file shrinks when it is idle\n",
    );
}

function rewrite(database: Database, terminal: Terminal, isDry: boolean): void {
  const { path, sqlite } = database;
  const before = statSync(path).size;
  const needed = 2 * (before - freePageBytes(sqlite));
  const { freeBytes } = diskRoomFor(path);
  terminal.err.write(
    `${path}: ${bytesText(before)}, of which at least ${bytesText(freePageBytes(sqlite))} are released; needs ${bytesText(needed)}, and the disk has ${bytesText(freeBytes)} free\n`,
  );
  if (freeBytes < needed)
    throw new FailedError(`the disk has no room for it: make ${bytesText(needed - freeBytes)} free first`);
  if (isDry) return;
  rewriteDatabase(database);
  const after = statSync(path).size;
  terminal.out.write(
    `released ${bytesText(Math.max(0, before - after))}; the file has ${bytesText(after)}\n`,
  );
}

const shownMax = 10;
const messageCharactersMax = 300;

export const repair = command({
  name: "repair",
  flags: { config: configFlag },
  async run({ options, terminal }) {
    const config = await loadConfiguration(options.config, terminal.env);
    const path = requireDatabase(config, "yet; 'phishwatch serve' creates it");
    using _lock = takeServeLock(path);
    requireOwnLog(path);
    const { lost, repairable } = await inspectDatabase(path);
    if (lost.length > 0) {
      list(terminal.err, lost);
      throw new FailedError(
        `${path} has damaged tables, which cannot be repaired; restore a backup with 'phishwatch restore'`,
      );
    }
    if (repairable.length === 0) {
      // A server may have recorded damage that is no longer there.
      rmSync(statePathOf(path), { force: true });
      terminal.err.write(`${path} is not damaged\n`);
      return;
    }
    list(terminal.err, repairable);
    const { freeBytes } = diskRoomFor(path);
    const missing = statSync(path).size - freeBytes;
    if (missing > 0)
      throw new FailedError(`the disk has no room for a copy: make ${bytesText(missing)} free first`);
    const { keptAs } = repairDatabase(path, fileStamp(systemClock.now()));
    terminal.err.write(
      `repaired ${path}; a check found nothing more\nthe damaged file is kept as ${keptAs}; if all is well, delete it\n`,
    );
    if (repairable.some((message) => message.startsWith("row ")))
      terminal.err.write(
        "where a row and an index differ, the row was used; if it was the row that was damaged, only a backup has its value\n",
      );
  },
});

function list(out: Output, messages: readonly string[]): void {
  for (const message of messages.slice(0, shownMax)) out.write(`${visible(message, messageCharactersMax)}\n`);
  const others = messages.length - shownMax;
  if (others > 0) out.write(`and ${counted(others, "more message")}\n`);
}

export const databaseCommands: CommandGroup = {
  name: "database",
  commands: [info, compact, repair],
};

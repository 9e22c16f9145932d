import { jsonFields } from "../../platform/lib/key-names.ts";
import { constants, Database as Sqlite } from "bun:sqlite";
import { existsSync, statSync } from "node:fs";
import {
  computeGrowth,
  daysUntilFull,
  readSamples,
  storeFoldersOf,
  untilFullText,
  type Growth,
} from "../../operations/stores/growth.ts";
import {
  databaseStores,
  keptText,
  labelOf,
  measureStores,
  readTableSizes,
  tableSizesStatement,
  type StoreName,
  type TableSize,
} from "../../operations/stores/stores.ts";
import type { Config } from "../../platform/config/config.ts";
import { diskRoomFor } from "../../platform/lib/disk.ts";
import { freePageBytes } from "../../platform/database/pragmas.ts";
import { listUpgradeCopies } from "../../platform/database/upgrade-copies.ts";
import { readDatabaseVersion } from "../../platform/database/versions.ts";
import { toIsoTime, type Instant } from "../../platform/lib/clock.ts";
import { bytesText } from "../../platform/lib/durations.ts";
import { counted, grouped } from "../../platform/lib/wording.ts";
import { loadConfiguration } from "../appliance/configuration.ts";
import { readOnlyUri } from "../checks/database-copy.ts";
import { command } from "../terminal/command.ts";
import { FailedError } from "../terminal/failure.ts";
import { configFlag, jsonFlag, toggle } from "../terminal/flags.ts";
import { printJson, renderFacts, renderTable, type Column } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";

const busyTimeoutMs = 5_000;

interface StoreRow {
  store: StoreName;
  bytes: number;
  /** Null where rows are not counted. */
  rows: number | null;
  oldestAt: Instant | null;
  bytesPerDay: number | null;
  /** How long its data are kept, for people. */
  kept: string;
}

interface DatabaseInfo {
  path: string;
  version: string | null;
  fileBytes: number;
  logBytes: number;
  freeDiskBytes: number;
  bytesPerDay: number | null;
  daysUntilFull: number | null;
  daysMeasured: number;
  stores: StoreRow[];
  tables: TableSize[];
  copies: { path: string; version: string; at: string; bytes: number }[];
}

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
  summary: "show the size of each store, its growth, and the days until the disk is full",
  details: `Reads the whole file once, changes nothing, and works while the server runs. The growth is computed from sizes that the server
measures once a day, so it needs two days. Archive, screenshots and copies before upgrades are files next to the database.`,
  flags: {
    tables: toggle("--tables", "also list every table"),
    json: jsonFlag,
    config: configFlag,
  },
  examples: [
    ["phishwatch database info", "see what takes room, and for how long the disk lasts"],
    ["phishwatch database info --tables", "see the size of every table"],
  ],
  async run({ options, terminal }) {
    const config = await loadConfiguration(options.config, terminal.env);
    const { path } = config.storage;
    if (path === ":memory:") throw new FailedError("the database is kept in memory only (storage.path)");
    if (!existsSync(path)) throw new FailedError(`${path} does not exist yet; 'phishwatch serve' creates it`);
    const found = await readInfo(path, config);
    if (options.json) printJson(terminal.out, toJson(found));
    else print(terminal, found, options.tables);
  },
});

async function readInfo(path: string, config: Config): Promise<DatabaseInfo> {
  const sqlite = new Sqlite(readOnlyUri(path), constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI);
  try {
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
        kept: keptText(store, config),
      })),
      tables,
      copies: listUpgradeCopies(path).map((copy) => ({ ...copy, at: toIsoTime(copy.at) })),
    };
  } finally {
    sqlite.close();
  }
}

function rowsOf(
  sqlite: Sqlite,
  store: StoreName,
  tables: ReadonlySet<string>,
): Pick<StoreRow, "rows" | "oldestAt"> {
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

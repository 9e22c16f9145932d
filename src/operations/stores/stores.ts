import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { getTableName, type AnyColumn, type Table } from "drizzle-orm";
import { auditLog, failedSignIns } from "../../access/audit/tables.ts";
import { enrichments, registrationResponses } from "../../facts/enrichment/tables.ts";
import { originalLogos, originalVersions } from "../../facts/inspection/originals/tables.ts";
import { inspectionCounts, inspections } from "../../facts/inspection/model/tables.ts";
import { scans } from "../../intake/scans/tables.ts";
import { sourceActivity } from "../../intake/sources/activity/tables.ts";
import { feedFiles } from "../../intake/sources/feeds/tables.ts";
import { listImports } from "../../intake/sources/imports/tables.ts";
import { feedDownloads } from "../../intake/sources/url-feeds/tables.ts";
import {
  announcements,
  deliveries,
  deliveryAttempts,
  deliveryHours,
} from "../../messaging/deliveries/store/tables.ts";
import { openIncidents, queuedChanges } from "../../messaging/subscriptions/subscriptions/tables.ts";
import { listUpgradeCopies } from "../../platform/database/upgrade-copies.ts";
import { bytesText, formatDuration } from "../../platform/lib/durations.ts";
import { campaigns } from "../../response/cases/campaigns/tables.ts";
import {
  takedownFiles,
  takedownReports,
  takedownReportThreats,
  takedownResponses,
  takedowns,
} from "../../response/cases/takedowns/tables.ts";
import { trapVisits, trapVisitTotals } from "../../response/traps/visits/tables.ts";
import { events, threatEscalations } from "../../threats/events/tables.ts";
import {
  deletedThreats,
  threatCertificates,
  threatChangeLog,
  threatCounts,
  threatHistory,
  threatListBlockCounts,
  threatListBlocks,
  threatNotes,
  threats,
  threatUrls,
  triageBatches,
  triageSteps,
} from "../../threats/threats/store/tables.ts";

/**
 * Kinds of data, by what an operator would delete or keep. Tables of no store belong to `other`.
 */
export const databaseStores = [
  store("threats", "Threats", threats.firstSeen, [
    threats,
    threatCounts,
    threatListBlocks,
    threatListBlockCounts,
    threatChangeLog,
    threatCertificates,
    threatUrls,
    deletedThreats,
    campaigns,
  ]),
  store("history", "History and notes", threatHistory.at, [
    threatHistory,
    threatNotes,
    triageBatches,
    triageSteps,
  ]),
  store("facts", "Facts", enrichments.checkedAt, [
    enrichments,
    registrationResponses,
    originalVersions,
    originalLogos,
  ]),
  store("inspections", "Inspections of pages", inspections.requestedAt, [inspections, inspectionCounts]),
  store("takedowns", "Takedowns", takedownReports.createdAt, [
    takedownReports,
    takedowns,
    takedownReportThreats,
    takedownResponses,
    takedownFiles,
  ]),
  store("events", "Events", events.createdAt, [events]),
  store("deliveries", "Deliveries", deliveries.createdAt, [
    deliveries,
    deliveryAttempts,
    deliveryHours,
    announcements,
    queuedChanges,
    openIncidents,
    threatEscalations,
  ]),
  store("visits", "Visits to traps", trapVisits.firstAt, [trapVisits, trapVisitTotals]),
  store("scans", "Scans", scans.startedAt, [scans]),
  store("imports", "Imports and sources", listImports.startedAt, [
    listImports,
    sourceActivity,
    feedFiles,
    feedDownloads,
  ]),
  store("audit", "Audit log", auditLog.at, [auditLog, failedSignIns]),
];

/** @param oldest column with the time of a row, in the table whose rows are counted */
function store<const Name extends string>(
  name: Name,
  label: string,
  oldest: AnyColumn,
  tables: readonly Table[],
) {
  const counted = getTableName(oldest.table);
  return { store: name, label, counted, oldest: oldest.name, tables: tables.map(getTableName) };
}

/** Data outside of the tables. */
const fileStores = [
  { store: "screenshots", label: "Screenshots" },
  { store: "archive", label: "Archive of names" },
  { store: "copies", label: "Copies before upgrades" },
] as const;

export type StoreName =
  (typeof databaseStores)[number]["store"] | (typeof fileStores)[number]["store"] | "other" | "free";

const labels = new Map<string, string>([
  ...databaseStores.map((one) => [one.store, one.label] as const),
  ...fileStores.map((one) => [one.store, one.label] as const),
  ["other", "Everything else"],
  ["free", "Free space in the file"],
]);

/** Returns the name for people. */
export const labelOf = (name: string): string => labels.get(name) ?? name;

const storeOfTable = new Map<string, StoreName>(
  databaseStores.flatMap((one) => one.tables.map((table) => [table, one.store] as const)),
);

/** Size of a store in bytes. */
export interface StoreSize {
  store: StoreName;
  bytes: number;
}

/** Size of a table with its indexes, in bytes. */
export interface TableSize {
  table: string;
  bytes: number;
}

/** Adds the tables up to stores, in a fixed order. */
function sizesOfStores(tables: readonly TableSize[], freeBytes: number): StoreSize[] {
  const totals = new Map<StoreName, number>(databaseStores.map((one) => [one.store, 0]));
  totals.set("other", 0);
  for (const { table, bytes } of tables) {
    const name = storeOfTable.get(table) ?? "other";
    totals.set(name, totals.get(name)! + bytes);
  }
  totals.set("free", freeBytes);
  return [...totals].map(([name, bytes]) => ({ store: name, bytes }));
}

/** The part of the configuration that limits stores. */
export interface StoreLimits {
  retention: { eventsMs: number; deliveriesMs: number; hitsMs: number; inspectionsMs: number };
  archive: { ageMsMax: number; bytesMax: number };
}

/** Returns how long the data of a store are kept, for people. */
export function keptText(name: StoreName, { retention, archive }: StoreLimits): string {
  switch (name) {
    case "events":
      return `${formatDuration(retention.eventsMs)} (retention.events)`;
    case "deliveries":
      return `${formatDuration(retention.deliveriesMs)} (retention.deliveries)`;
    case "visits":
      return `${formatDuration(retention.hitsMs)} (retention.hits)`;
    case "inspections":
      return `${formatDuration(retention.inspectionsMs)} (retention.inspections)`;
    case "imports":
      return "the newest 500 imports, 400 days of activity";
    case "audit":
      return "the newest 100,000 entries";
    case "archive":
      return `${formatDuration(archive.ageMsMax)}, ${bytesText(archive.bytesMax)} (archive)`;
    case "takedowns":
      return "files up to 256 MiB, the rest without limit";
    case "copies":
      return "one for each of the last 2 versions";
    case "free":
      return "used by new rows";
    default:
      return "without limit";
  }
}

/**
 * Returns one JSON value: bytes by table, with its indexes. Reads every page of the file, which takes about a second per
 * GiB from a warm cache (https://www.sqlite.org/dbstat.html).
 */
export const tableSizesStatement = `SELECT json_group_array(json_object('table', name, 'bytes', bytes)) FROM (
  SELECT coalesce(m.tbl_name, s.name) AS name, sum(s.pgsize) AS bytes
  FROM dbstat AS s LEFT JOIN sqlite_master AS m ON m.name = s.name
  WHERE s.aggregate = TRUE GROUP BY 1)`;

/** Parses the result of `tableSizesStatement`. */
export const readTableSizes = (value: unknown): TableSize[] => JSON.parse(String(value)) as TableSize[];

/** Folders of stores outside of the database file. */
export interface StoreFolders {
  screenshots: string;
  archive: string;
}

/** Returns the size of each store of the database file and of the folders next to it. */
export async function measureStores(
  path: string,
  { tables, freeBytes, folders }: { tables: readonly TableSize[]; freeBytes: number; folders: StoreFolders },
): Promise<StoreSize[]> {
  const copies = listUpgradeCopies(path).reduce((sum, { bytes }) => sum + bytes, 0);
  const [screenshots, archive] = await Promise.all([
    folderBytes(folders.screenshots),
    folderBytes(folders.archive),
  ]);
  return [
    ...sizesOfStores(tables, freeBytes),
    { store: "screenshots", bytes: screenshots },
    { store: "archive", bytes: archive },
    { store: "copies", bytes: copies },
  ];
}

/** Returns the size of all files below a folder; 0 if it does not exist. Files that disappear during the measurement do not count. */
async function folderBytes(folder: string): Promise<number> {
  let total = 0;
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) total += await folderBytes(path);
    else if (entry.isFile()) total += (await stat(path).catch(() => undefined))?.size ?? 0;
  }
  return total;
}

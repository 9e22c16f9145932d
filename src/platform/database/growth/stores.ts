import { bytesText, formatDuration } from "../../lib/durations.ts";

/** Kinds of data, by what an operator would delete or keep. Tables of no store belong to `other`. */
export const databaseStores = [
  {
    store: "threats",
    label: "Threats",
    tables: [
      "threats",
      "threat_counts",
      "threat_list_blocks",
      "threat_list_block_counts",
      "threat_change_log",
      "threat_certificates",
      "threat_urls",
      "deleted_threats",
      "campaigns",
    ],
    oldest: "first_seen",
  },
  {
    store: "history",
    label: "History and notes",
    tables: ["threat_history", "threat_notes", "triage_batches", "triage_steps"],
    oldest: "at",
  },
  {
    store: "facts",
    label: "Facts",
    tables: ["enrichments", "registration_responses", "original_versions", "original_logos"],
    oldest: "looked_at",
  },
  {
    store: "inspections",
    label: "Inspections of pages",
    tables: ["inspections", "inspection_counts"],
    oldest: "requested_at",
  },
  {
    store: "takedowns",
    label: "Takedowns",
    tables: [
      "takedown_reports",
      "takedowns",
      "takedown_report_threats",
      "takedown_responses",
      "takedown_files",
    ],
    oldest: "created_at",
  },
  { store: "events", label: "Events", tables: ["events"], oldest: "created_at" },
  {
    store: "deliveries",
    label: "Deliveries",
    tables: [
      "deliveries",
      "delivery_attempts",
      "delivery_hours",
      "announcements",
      "queued_changes",
      "open_incidents",
      "threat_escalations",
    ],
    oldest: "created_at",
  },
  {
    store: "visits",
    label: "Visits to traps",
    tables: ["trap_visits", "trap_visit_totals"],
    oldest: "first_at",
  },
  { store: "scans", label: "Scans", tables: ["scans"], oldest: "started_at" },
  {
    store: "imports",
    label: "Imports and sources",
    tables: ["list_imports", "source_activity", "feed_files", "feed_downloads"],
    oldest: "started_at",
  },
  {
    store: "audit",
    label: "Audit log",
    tables: ["audit_log", "failed_sign_ins"],
    oldest: "at",
  },
] as const satisfies readonly {
  store: string;
  label: string;
  /** The first one has the rows that are counted. */
  tables: readonly string[];
  /** Column of the first table. */
  oldest: string;
}[];

/** Data outside of the tables. */
const fileStores = [
  { store: "screenshots", label: "Screenshots" },
  { store: "archive", label: "Archive of names" },
  { store: "copies", label: "Copies before upgrades" },
] as const;

export type StoreName =
  (typeof databaseStores)[number]["store"] | (typeof fileStores)[number]["store"] | "other" | "free";

const labels = new Map<string, string>([
  ...databaseStores.map(({ store, label }) => [store, label] as const),
  ...fileStores.map(({ store, label }) => [store, label] as const),
  ["other", "Everything else"],
  ["free", "Free space in the file"],
]);

/** Returns the name for people. */
export const labelOf = (store: string): string => labels.get(store) ?? store;

const storeOfTable = new Map<string, StoreName>(
  databaseStores.flatMap(({ store, tables }) => tables.map((table) => [table, store] as const)),
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
export function sizesOfStores(tables: readonly TableSize[], freeBytes: number): StoreSize[] {
  const totals = new Map<StoreName, number>(databaseStores.map(({ store }) => [store, 0]));
  totals.set("other", 0);
  for (const { table, bytes } of tables) {
    const store = storeOfTable.get(table) ?? "other";
    totals.set(store, totals.get(store)! + bytes);
  }
  totals.set("free", freeBytes);
  return [...totals].map(([store, bytes]) => ({ store, bytes }));
}

/** The part of the configuration that limits stores. */
export interface StoreLimits {
  retention: { eventsMs: number; deliveriesMs: number; hitsMs: number; inspectionsMs: number };
  archive: { ageMsMax: number; bytesMax: number };
}

/** Returns how long the data of a store are kept, for people. */
export function keptText(store: StoreName, { retention, archive }: StoreLimits): string {
  switch (store) {
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

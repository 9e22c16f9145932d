import { count, desc, eq, max } from "drizzle-orm";
import type { Database } from "../database/database.ts";
import { relaxedTransaction } from "../database/relaxed.ts";
import type { Outbox } from "../events/outbox.ts";
import { toIsoTime, type Clock, type Instant } from "../lib/clock.ts";
import type { IdFactory } from "../lib/ids.ts";
import type { ScanStatus, ScanTrigger } from "../vocabulary/scans.ts";
import { scans, type Scan, type ScanCounts } from "./tables.ts";

/** The records of scans. A scan's start and end are written in one transaction with their events. */
export interface ScanStore {
  begin(scan: { protectedDomains: string[]; trigger: ScanTrigger }): Scan;
  /** Writes the counts and returns the scan, which may have been requested to end. */
  saveCounts(id: string, counts: ScanCounts): Scan;
  close(id: string, status: Exclude<ScanStatus, "running">, error?: string): Scan;
  /** Requests the end of a scan, possibly in another process. Returns whether the scan is running. */
  requestCancel(id: string): boolean;
  running(): Scan[];
  get(id: string): Scan | undefined;
  /** Returns scans, newest first. */
  list(limit: number, offset?: number): Scan[];
  totals(): ScanTotals;
}

export interface ScanTotals {
  byStatus: { status: ScanStatus; total: number }[];
  /** When the last completed scan ended. */
  completedAt: Instant | null;
}

export function createScanStore({
  database,
  clock,
  ids,
  outbox,
}: {
  database: Database;
  clock: Clock;
  ids: IdFactory;
  outbox: Outbox;
}): ScanStore {
  const { query } = database;
  const get = (id: string) => query.select().from(scans).where(eq(scans.id, id)).get();
  const set = (id: string, values: Partial<Scan>) =>
    query.update(scans).set(values).where(eq(scans.id, id)).returning().get();

  return {
    get,
    totals() {
      const byStatus = query
        .select({ status: scans.status, total: count() })
        .from(scans)
        .groupBy(scans.status)
        .all();
      const last = query
        .select({ at: max(scans.completedAt) })
        .from(scans)
        .where(eq(scans.status, "completed"))
        .get();
      return { byStatus, completedAt: last?.at ?? null };
    },
    running: () => query.select().from(scans).where(eq(scans.status, "running")).all(),
    list: (limit, offset = 0) =>
      query.select().from(scans).orderBy(desc(scans.seq)).limit(limit).offset(offset).all(),

    begin: ({ protectedDomains, trigger }) =>
      database.transaction(() => {
        const scan = query
          .insert(scans)
          .values({
            id: ids.next("scan"),
            trigger,
            protectedDomains,
            status: "running",
            startedAt: clock.now(),
          })
          .returning()
          .get();
        outbox.record("scan.started", { scan: describeScan(scan, "running") });
        return scan;
      }),

    // A power cut that loses the counts loses the scan too.
    saveCounts: (id, counts) => relaxedTransaction(database, () => set(id, counts)),

    close: (id, status, error) =>
      database.transaction(() => {
        const scan = set(id, { status, completedAt: clock.now(), error: error ?? null });
        outbox.record("scan.completed", { scan: completedScan(scan, status) });
        return scan;
      }),

    requestCancel: (id) =>
      database.transaction(() => {
        if (get(id)?.status !== "running") return false;
        set(id, { cancelRequested: true });
        return true;
      }),
  };
}

function describeScan<Status extends ScanStatus>(
  { id, protectedDomains, trigger, startedAt }: Scan,
  status: Status,
) {
  return { id, protected_domains: protectedDomains, trigger, status, started_at: toIsoTime(startedAt) };
}

/** Describes a scan that has ended, as `scan.completed` does. */
export function completedScan(scan: Scan, status: Exclude<ScanStatus, "running">) {
  return {
    ...describeScan(scan, status),
    completed_at: toIsoTime(scan.completedAt ?? scan.startedAt),
    candidates: scan.candidates,
    resolving: scan.resolving,
    threats_found: scan.threatsFound,
    threats_created: scan.threatsCreated,
    ...(scan.error !== null && { error: scan.error }),
  };
}

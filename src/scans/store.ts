import { count, desc, eq, max } from "drizzle-orm";
import type { Database } from "../database/database.ts";
import { relaxedTransaction } from "../database/relaxed.ts";
import type { Outbox } from "../events/outbox.ts";
import { toIsoTime, type Clock, type Instant } from "../lib/clock.ts";
import type { IdFactory } from "../lib/ids.ts";
import { scans, type Scan, type ScanCounts } from "./tables.ts";
import { type ScanStatus, type ScanTrigger } from "../vocabulary/scans.ts";

/** The record of scans; beginning and end are written with their events in one transaction. */
export interface ScanStore {
  begin(scan: { protectedDomains: string[]; trigger: ScanTrigger }): Scan;
  /** Answers whether somebody asked for the end meanwhile. */
  note(id: string, counts: ScanCounts): { cancelRequested: boolean };
  close(id: string, status: Exclude<ScanStatus, "running">, error?: string): Scan;
  /** Asks whoever runs it, maybe another process, to end it; answers whether it runs. */
  requestCancel(id: string): boolean;
  running(): Scan[];
  get(id: string): Scan | undefined;
  /** Newest first. */
  list(limit: number, offset?: number): Scan[];
  totals(): ScanTotals;
}

export interface ScanTotals {
  byStatus: { status: ScanStatus; total: number }[];
  /** When the last one that went through to its end did so. */
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
        const startedAt = clock.now();
        const id = ids.next("scan");
        const scan = query
          .insert(scans)
          .values({ id, trigger, protectedDomains, status: "running", startedAt })
          .returning()
          .get();
        outbox.record("scan.started", { scan: describeStart(scan) });
        return scan;
      }),

    // Lost counts are of a scan that was lost as well.
    note: (id, counts) => relaxedTransaction(database, () => set(id, counts)),

    close: (id, status, error) =>
      database.transaction(() => {
        const scan = set(id, { status, completedAt: clock.now(), error: error ?? null });
        outbox.record("scan.completed", { scan: describeEnd(scan) });
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

function describeStart({ id, protectedDomains, trigger, status, startedAt }: Scan) {
  return { id, protected_domains: protectedDomains, trigger, status, started_at: toIsoTime(startedAt) };
}

function describeEnd(scan: Scan) {
  return {
    ...describeStart(scan),
    completed_at: toIsoTime(scan.completedAt ?? scan.startedAt),
    candidates: scan.candidates,
    resolving: scan.resolving,
    threats_found: scan.threatsFound,
    threats_created: scan.threatsCreated,
    ...(scan.error !== null && { error: scan.error }),
  };
}

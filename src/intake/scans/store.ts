import { jsonFields } from "../../platform/lib/key-names.ts";
import { asc, count, desc, eq, gt, inArray, isNotNull, max } from "drizzle-orm";
import type { Needs } from "../../platform/database/needs.ts";
import type { Outbox } from "../../threats/events/outbox.ts";
import { toIsoTime } from "../../platform/lib/clock.ts";
import type { ScanFailure, ScanStatus, ScanTrigger } from "../../platform/vocabulary/scans.ts";
import { scans, type Scan } from "./tables.ts";

/** The records of scans. A scan's start and end are written in one transaction with their events. */
export type ScanStore = ReturnType<typeof createScanStore>;

/** How a scan ended. */
export type ScanOutcome =
  { status: "completed" | "cancelled" } | { status: "failed"; failure: ScanFailure; error: string };

export type ScanTotals = ReturnType<ScanStore["totals"]>;

export function createScanStore(dependencies: Needs<"clock" | "database" | "ids"> & { outbox: Outbox }) {
  const { database, clock, ids, outbox } = dependencies;
  const { query } = database;
  const get = (id: string): Scan | undefined => query.select().from(scans).where(eq(scans.id, id)).get();
  const set = (id: string, values: Partial<Scan>): Scan =>
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
      const failures = query
        .select({ failure: scans.failure, total: count() })
        .from(scans)
        .where(isNotNull(scans.failure))
        .groupBy(scans.failure)
        .all();
      const byFailure = failures.flatMap(({ failure, total }) =>
        failure === null ? [] : [{ failure, total }],
      );
      return { byStatus, byFailure, completedAt: last?.at ?? null };
    },
    running: (): Scan[] => query.select().from(scans).where(eq(scans.status, "running")).all(),

    /** Returns the scans that were recorded after the one with this sequence number, oldest first. */
    since: (seq: number): Scan[] =>
      query.select().from(scans).where(gt(scans.seq, seq)).orderBy(asc(scans.seq)).all(),

    /** Returns scans, newest first. */
    list: (limit: number, offset = 0): Scan[] =>
      query.select().from(scans).orderBy(desc(scans.seq)).limit(limit).offset(offset).all(),

    /**
     * Returns the latest scan that completed or failed, which hides a failure neither by running nor by being
     * cancelled.
     */
    latestOutcome: (): Scan | undefined =>
      query
        .select()
        .from(scans)
        .where(inArray(scans.status, ["completed", "failed"]))
        .orderBy(desc(scans.seq))
        .limit(1)
        .get(),

    /** Must run within a transaction. */
    begin({ protectedDomains, trigger }: { protectedDomains: string[]; trigger: ScanTrigger }): Scan {
      const id = ids.next("scan");
      const startedAt = clock.now();
      const values = { id, trigger, protectedDomains, status: "running", startedAt } as const;
      const scan = query.insert(scans).values(values).returning().get();
      outbox.record("scan.started", { scan: describeScan(scan, "running") });
      return scan;
    },

    /** Writes the counts, within a transaction, and returns the scan, which may have been requested to end. */
    saveCounts: set,

    /** Records the end of a scan. Must run within a transaction. */
    close(id: string, outcome: ScanOutcome): Scan {
      const scan = set(id, { ...outcome, completedAt: clock.now() });
      outbox.record("scan.completed", { scan: completedScan(scan, outcome.status) });
      return scan;
    },

    /** Requests the end of a scan, possibly in another process. Returns whether the scan is running. */
    requestCancel: (id: string) =>
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
  return jsonFields({ id, protectedDomains, trigger, status, startedAt });
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

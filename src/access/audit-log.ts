import { and, count, desc, eq, lte, type SQL } from "drizzle-orm";
import type { Database } from "../database/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Actor } from "./actor.ts";
import type { AuditAction, AuditDetail } from "./audit-actions.ts";
import { auditLog } from "./tables.ts";

export type AuditEntry = typeof auditLog.$inferSelect;

export interface AuditFilter {
  action?: AuditAction | undefined;
  via?: Actor["via"] | undefined;
}

/** Who did what and when. */
export interface AuditLog {
  /**
   * Writes an act down, in the caller's transaction where there is one: what is undone was never done.
   * @param subject what it was done to; null: the appliance as a whole.
   */
  record(by: Actor, action: AuditAction, subject: string | null, detail?: AuditDetail): void;
  /** Newest first. */
  list(filter: AuditFilter, page: { limit: number; offset: number }): AuditEntry[];
  count(filter: AuditFilter): number;
}

/** Some 30 MB at most. The oldest go first: nobody can fill the disk with failed sign-ins. */
export const auditEntriesMax = 100_000;
// How often the old end is cut, in entries: a range delete each time would be wasted on nothing.
const cutEvery = 100;
const textMax = 300;
/** Of these anybody can make any number: they must not push the acts out. */
const failedSignInsMax = 10_000;

export function createAuditLog({ database, clock }: { database: Database; clock: Clock }): AuditLog {
  const { query } = database;

  return {
    record(by, action, subject, detail = {}) {
      const row = { ...by, at: clock.now(), action, subject: subject?.slice(0, textMax) ?? null, detail };
      database.transaction(() => {
        const { seq } = query.insert(auditLog).values(row).returning({ seq: auditLog.seq }).get();
        if (seq % cutEvery !== 0) return;
        query
          .delete(auditLog)
          .where(lte(auditLog.seq, seq - auditEntriesMax))
          .run();
        const isFailed = eq(auditLog.action, "console.sign_in_failed");
        const tooOld = query
          .select({ seq: auditLog.seq })
          .from(auditLog)
          .where(isFailed)
          .orderBy(desc(auditLog.seq))
          .limit(1)
          .offset(failedSignInsMax)
          .get();
        if (tooOld !== undefined)
          query
            .delete(auditLog)
            .where(and(isFailed, lte(auditLog.seq, tooOld.seq)))
            .run();
      });
    },

    list: (filter, { limit, offset }) =>
      query
        .select()
        .from(auditLog)
        .where(conditions(filter))
        .orderBy(desc(auditLog.seq))
        .limit(limit)
        .offset(offset)
        .all(),

    count: (filter) => query.select({ n: count() }).from(auditLog).where(conditions(filter)).get()!.n,
  };
}

function conditions({ action, via }: AuditFilter): SQL | undefined {
  return and(
    action === undefined ? undefined : eq(auditLog.action, action),
    via === undefined ? undefined : eq(auditLog.via, via),
  );
}

import { and, count, desc, eq, lte, type SQL } from "drizzle-orm";
import type { Database } from "../../database/database.ts";
import { placeholders } from "../../database/placeholders.ts";
import type { Clock } from "../../lib/clock.ts";
import { lazy } from "../../lib/startup.ts";
import type { Actor } from "./actor.ts";
import type { AuditAction, AuditDetail } from "./actions.ts";
import { auditLog } from "./tables.ts";

export type AuditEntry = typeof auditLog.$inferSelect;

export interface AuditFilter {
  action?: AuditAction | undefined;
  channel?: Actor["channel"] | undefined;
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
  const values = placeholders("at", "channel", "name", "address", "action", "subject", "detail");
  const insert = lazy(() => query.insert(auditLog).values(values).returning({ seq: auditLog.seq }).prepare());

  return {
    record(by, action, subject, detail = {}) {
      const row = { ...by, at: clock.now(), action, subject: subject?.slice(0, textMax) ?? null, detail };
      database.transaction(() => {
        const { seq } = insert().get(row);
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

function conditions({ action, channel }: AuditFilter): SQL | undefined {
  return and(
    action === undefined ? undefined : eq(auditLog.action, action),
    channel === undefined ? undefined : eq(auditLog.channel, channel),
  );
}

/** What differs between two states of a table: rows that came, went (`is` absent) or changed. */
export function changesBetween<Row>(
  before: readonly Row[],
  after: readonly Row[],
  keyOf: (row: Row) => string,
): { was: Row | undefined; is: Row | undefined }[] {
  const left = new Map(before.map((row) => [keyOf(row), row]));
  const changes: { was: Row | undefined; is: Row | undefined }[] = [];
  for (const is of after) {
    const was = left.get(keyOf(is));
    left.delete(keyOf(is));
    if (JSON.stringify(was) !== JSON.stringify(is)) changes.push({ was, is });
  }
  for (const was of left.values()) changes.push({ was, is: undefined });
  return changes;
}

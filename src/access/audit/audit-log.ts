import { and, count, desc, eq, sql, type SQL } from "drizzle-orm";
import type { Database } from "../../platform/database/database.ts";
import { statement, valuesExcept } from "../../platform/database/statement.ts";
import type { Clock } from "../../platform/lib/clock.ts";
import type { Log } from "../../platform/lib/log.ts";
import type { AuditAction, AuditDetail } from "./actions.ts";
import type { Actor, ActorChannel } from "./actor.ts";
import { createAuditReport } from "./audit-report.ts";
import { keepNewest } from "./keep-newest.ts";
import { auditLog } from "./tables.ts";

export type AuditEntry = typeof auditLog.$inferSelect;

interface AuditFilter {
  action?: AuditAction | undefined;
  channel?: ActorChannel | undefined;
  /** Name of the account, the API key or the shell user, without regard to case. */
  name?: string | undefined;
}

/** The record of administrative changes, and of sign-ins that succeeded: who did what, and when. */
export interface AuditLog {
  /**
   * Records a change. Services call this in the transaction of the change, so that both happen or neither.
   * @param subject name and id of the changed object; null for phishwatch as a whole
   * @param detail further facts, never a secret
   */
  record(by: Actor, action: AuditAction, subject: string | null, detail?: AuditDetail): void;
  /** Returns entries, newest first. */
  list(filter: AuditFilter, page: { limit: number; offset: number }): AuditEntry[];
  count(filter: AuditFilter): number;
  /**
   * Returns who made the latest change of this kind; undefined if its entry has been deleted.
   * @param about subject of the entry, or one of its details
   */
  actorOf(
    action: AuditAction,
    about: { subject: string } | { detail: string; is: number },
  ): Actor | undefined;
  /** Logs every configuration change from the opening of the database on, including changes by other processes. */
  startReport(log: Log): void;
  stopReport(): void;
}

/**
 * Maximum number of entries, about 30 MB. The oldest are deleted first. Only people who
 * are signed in, keys and the command line cause entries, so a stranger cannot displace them.
 */
export const auditEntriesMax = 100_000;
/** Old entries are deleted once per this many new ones: deleting at each would be wasted work. */
const entriesPerTrim = 100;
const subjectCharactersMax = 300;

export function createAuditLog({ database, clock }: { database: Database; clock: Clock }): AuditLog {
  const { query } = database;
  const report = createAuditReport({ database, clock });
  const insert = statement(database, (q) =>
    q.insert(auditLog).values(valuesExcept(auditLog, "seq")).returning({ seq: auditLog.seq }),
  );

  return {
    record({ channel, name, address }, action, subject, detail = {}) {
      const shortSubject = subject?.slice(0, subjectCharactersMax) ?? null;
      database.transaction(() => {
        const at = clock.now();
        const { seq } = insert.get({ at, channel, name, address, action, subject: shortSubject, detail })!;
        if (seq % entriesPerTrim === 0) keepNewest(database, auditLog, auditEntriesMax);
        database.afterCommit(report.run);
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

    actorOf(action, about) {
      const isAbout =
        "subject" in about
          ? eq(auditLog.subject, about.subject)
          : eq(sql`json_extract(${auditLog.detail}, ${`$.${about.detail}`})`, about.is);
      return query
        .select({ channel: auditLog.channel, name: auditLog.name, address: auditLog.address })
        .from(auditLog)
        .where(and(eq(auditLog.action, action), isAbout))
        .orderBy(desc(auditLog.seq))
        .limit(1)
        .get();
    },

    startReport: report.start,
    stopReport: report.stop,

    count: (filter) => query.select({ n: count() }).from(auditLog).where(conditions(filter)).get()!.n,
  };
}

function conditions({ action, channel, name }: AuditFilter): SQL | undefined {
  return and(
    action === undefined ? undefined : eq(auditLog.action, action),
    channel === undefined ? undefined : eq(auditLog.channel, channel),
    name === undefined ? undefined : eq(sql`lower(${auditLog.name})`, name.toLowerCase()),
  );
}

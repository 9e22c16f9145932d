import { asc, gt } from "drizzle-orm";
import type { Needs } from "../../platform/database/needs.ts";
import { countValue, statement, value } from "../../platform/database/statement.ts";
import { logDropped, type Log } from "../../platform/lib/log.ts";
import { every, type Schedule } from "../../platform/lib/schedule.ts";
import { describeActor } from "./actor.ts";
import { auditLog } from "./tables.ts";

/** Sign-ins, scans, imports, decisions and deliveries are no changes of the configuration. A reload has its own event. */
const otherActions = /^(config|console|scan|feed|threat|backup|retention)\.|\.(test|redeliver|replay)$/;
const everySecond = "* * * * * *";
const entriesPerRun = 200;

/** Logs the configuration changes that the audit log records, in whichever process they are made. */
export function createAuditReport({ database, clock }: Needs<"clock" | "database">) {
  const next = statement(database, (query) =>
    query
      .select()
      .from(auditLog)
      .where(gt(auditLog.seq, value(auditLog.seq, "after")))
      .orderBy(asc(auditLog.seq))
      .limit(countValue("limit")),
  );
  const newest = database.prepare<{ seq: number | null }>("select max(seq) as seq from audit_log").get();
  let after = newest?.seq ?? 0;
  let session: { log: Log; poll: Schedule | undefined } | undefined;

  /** Logs what was recorded since the last call. */
  function run(): void {
    if (session === undefined) return;
    const { log } = session;
    try {
      for (const { seq, action, subject, detail, ...actor } of next.all({ after, limit: entriesPerRun })) {
        after = seq;
        if (otherActions.test(action)) continue;
        log.event("config.changed", { action, subject, detail, by: describeActor(actor) });
      }
    } catch (error) {
      // For example a locked database. The next second tries again.
      logDropped(log, error, "config.changes_not_logged");
    }
  }

  return {
    /** Logs what is recorded from the creation of the report on. */
    start(log: Log) {
      const poll = database.isShared ? every({ clock, pattern: everySecond, run }) : undefined;
      session = { log, poll };
      run();
    },
    stop() {
      run();
      session?.poll?.stop();
      session = undefined;
    },
    run,
  };
}

import { eq } from "drizzle-orm";
import type { CaseSettings } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import { statement, value, valuesOf } from "../database/statement.ts";
import type { Outbox } from "../events/outbox.ts";
import type { Clock, Instant } from "../lib/clock.ts";
import type { Severity } from "../vocabulary/threats.ts";
import { dueAtAfterRise } from "./case/due.ts";
import { stateOfShownSite } from "./case/site-state.ts";
import { isEscalation, rises } from "./severity/escalation.ts";
import { severityOf } from "./severity/severity.ts";
import { changedNow } from "./store/fields.ts";
import { threats } from "./store/tables.ts";
import type { Change, History } from "./triage/history.ts";

/**
 * Returns a function that notes that a visitor was shown a copy of the protected page at the site of a threat, which
 * outweighs all other facts. Returns the severity after that. Must run within a transaction.
 */
export function createCopyNoter({
  cases,
  clock,
  database,
  history,
  outbox,
}: {
  cases: CaseSettings;
  clock: Clock;
  database: Database;
  history: History;
  outbox: Outbox;
}): (known: typeof threats.$inferSelect, seenAt: Instant) => Severity {
  const set = statement(database, (query) =>
    query
      .update(threats)
      .set({
        ...valuesOf(
          threats,
          "cloneSeenAt",
          "severity",
          "severityReasons",
          "verified",
          "dueAt",
          "siteState",
          "siteStateAt",
        ),
        ...changedNow,
      })
      .where(eq(threats.seq, value(threats.seq))),
  );

  return (known, seenAt) => {
    const { cloneSeenAt, seq, status } = known;
    if (cloneSeenAt !== null && cloneSeenAt >= seenAt) return known.severity;
    const now = clock.now();
    const { severity, reasons } = severityOf({ ...known, cloneSeenDays: 0 });
    const severityReasons = distinct([...reasons, ...known.severityReasons]);
    const assessed = { severity, severityReasons, verified: true };
    const siteState = stateOfShownSite(known.siteState);
    const siteStateAt = siteState === known.siteState ? known.siteStateAt : now;
    const isRaised = status === "active" && rises(known.severity, severity);
    const dueAt = isRaised ? dueAtAfterRise(known.dueAt, cases, { severity, now }) : known.dueAt;
    set.run({ seq, cloneSeenAt: seenAt, ...assessed, dueAt, siteState, siteStateAt, changedAt: now });
    if (isEscalation(known, assessed)) outbox.recordEscalation(seq);
    const changes: Change[] = [
      { field: "site state", before: known.siteState, after: siteState },
      { field: "severity", before: known.severity, after: severity },
    ];
    history.record(
      seq,
      changes.filter(({ before, after }) => before !== after),
      null,
    );
    return severity;
  };
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Map(values.map((one) => [JSON.stringify(one), one])).values()];
}

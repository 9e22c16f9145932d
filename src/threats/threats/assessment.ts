import type { CaseSettings } from "../../platform/config/config.ts";
import type { Needs } from "../../platform/database/needs.ts";
import type { Outbox } from "../events/outbox.ts";
import { dueAtAfterRise } from "./case/due.ts";
import { isEscalation, rises } from "./severity/escalation.ts";
import type { threats } from "./store/tables.ts";
import type { Change, History } from "./triage/history.ts";

type ThreatRow = typeof threats.$inferSelect;

/** Columns that every assessment of a threat writes. */
export const assessedColumns = [
  "severity",
  "severityReasons",
  "verified",
  "dueAt",
  "siteState",
  "siteStateAt",
] as const satisfies (keyof ThreatRow)[];

export type Assess = ReturnType<typeof createAssessor>;

/**
 * Returns a function that records what follows from a new assessment of a threat: its changes, and an escalation. It
 * returns the times to store with the assessment. Must run within a transaction.
 */
export function createAssessor({
  cases,
  clock,
  history,
  outbox,
}: Needs<"clock"> & { cases: CaseSettings; history: History; outbox: Outbox }) {
  return (
    before: Pick<
      ThreatRow,
      "seq" | "status" | "severity" | "verified" | "siteState" | "siteStateAt" | "dueAt"
    >,
    after: Pick<ThreatRow, "severity" | "verified" | "siteState">,
    changes: readonly Change[] = [],
  ): Pick<ThreatRow, "dueAt" | "siteStateAt"> => {
    const { severity, siteState } = after;
    const now = clock.now();
    if (isEscalation(before, after)) outbox.recordEscalation(before.seq);
    const derived: Change[] = [
      { field: "site state", before: before.siteState, after: siteState },
      { field: "severity", before: before.severity, after: severity },
    ];
    const changed = derived.filter((change) => change.before !== change.after);
    history.record(before.seq, [...changes, ...changed], null);
    const isRaised = before.status === "active" && rises(before.severity, severity);
    return {
      dueAt: isRaised ? dueAtAfterRise(before.dueAt, cases, { severity, now }) : before.dueAt,
      siteStateAt: siteState === before.siteState ? before.siteStateAt : now,
    };
  };
}

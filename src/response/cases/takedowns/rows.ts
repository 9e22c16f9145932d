import { sql, type SQL } from "drizzle-orm";
import { columnsOf } from "../../../platform/database/statement.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import { threats } from "../../../threats/threats/store/tables.ts";
import { type Outcome, type Report, type Takedown } from "./report.ts";
import { takedownReports, takedowns } from "./tables.ts";

/** Condition of an open takedown. A threat that was decided needs no further report. */
export const isOpen: SQL = sql`${takedowns.downAt} is null and ${takedowns.closedAt} is null
  and ${threats.status} = 'active'`;

/** Condition of a site that was up again after its last takedown, and is now. */
export const isBack: SQL = sql`${takedowns.backAt} is not null and ${threats.siteState} in ('up', 'back')
  and ${threats.status} = 'active'
  and not exists (select 1 from takedowns later where later.threat_seq = ${takedowns.threatSeq} and later.seq > ${takedowns.seq})`;

/** Columns of a takedown, from `takedowns` left joined with `threats`. */
export const takedownColumns = {
  threatId: threats.id,
  ...columnsOf(takedowns, "seq domain protectedDomain registrar hoster"),
  ...columnsOf(takedowns, "reportedAt countedFrom downAt downState backAt closedAt"),
  ...columnsOf(threats, "siteState status"),
  isBack: sql<number | null>`(${isBack})`,
};

export interface TakedownRow extends Omit<Takedown, "isBack" | "outcome"> {
  isBack: number | null;
  status: (typeof threats.$inferSelect)["status"] | null;
}

export function toTakedown({ isBack: back, status, ...row }: TakedownRow): Takedown {
  return { ...row, isBack: back === 1, outcome: outcomeOf({ ...row, status }) };
}

function outcomeOf({
  closedAt,
  downAt,
  status,
}: Pick<TakedownRow, "closedAt" | "downAt" | "status">): Outcome {
  if (downAt !== null) return "down";
  if (closedAt !== null) return "closed";
  if (status === null) return "deleted";
  return status === "active" ? "open" : "closed";
}

export type ReportRow = typeof takedownReports.$inferSelect;

export function toReport(row: ReportRow): Report {
  const { recipientKind, recipientName, recipientEmail, recipientFormUrl, recipientSource, ...others } = row;
  const { actorAddress, actorName, channel, language: _language, ...report } = others;
  return {
    ...report,
    recipient: {
      kind: recipientKind,
      name: recipientName,
      email: recipientEmail ?? undefined,
      formUrl: recipientFormUrl ?? undefined,
      source: recipientSource,
    },
    by: { channel, name: actorName, address: actorAddress },
  };
}

/** Next step of a person for a report. */
export type NextStep = "came_back" | "delivery" | "follow_up" | "wait" | "none";

/**
 * Returns the next step of a report.
 * @param state `hasNext`: it was followed up or escalated; `isBack`: one of its sites came back and was not reported
 *   again; `isOpen`: at least one of its sites is still to be taken down
 */
export function nextStepOf(
  { delivery, followUpAt }: Pick<Report, "delivery" | "followUpAt">,
  {
    hasNext,
    isBack: cameBack,
    isOpen: isWaiting,
    now,
  }: { hasNext: boolean; isBack: boolean; isOpen: boolean; now: Instant },
): NextStep {
  if (cameBack) return "came_back";
  if (!isWaiting || hasNext) return "none";
  if (delivery === "bounced" || delivery === "failed" || delivery === "interrupted") return "delivery";
  return followUpAt !== null && followUpAt <= now ? "follow_up" : "wait";
}

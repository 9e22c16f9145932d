import { and, asc, desc, eq, isNull, sql, type SQL } from "drizzle-orm";
import type { Database } from "../../../platform/database/database.ts";
import {
  columnsOf,
  hasValue,
  statement,
  value,
  valuesExcept,
  valuesOf,
} from "../../../platform/database/statement.ts";
import { threats } from "../../../threats/threats/store/tables.ts";
import type { Takedown } from "./report.ts";
import { takedownColumns, toTakedown } from "./rows.ts";
import {
  takedownFiles,
  takedownReports,
  takedownReportThreats,
  takedownResponses,
  takedowns,
} from "./tables.ts";

export type TakedownStore = ReturnType<typeof createTakedownStore>;

/** The statements on takedowns, reports, responses and files. */
export function createTakedownStore(database: Database) {
  return { ...threatStatements(database), ...reportStatements(database), ...partStatements(database) };
}

/** Returns what a report covers, in the order of the names. */
export function takedownsOf(store: TakedownStore, reportSeq: number): Takedown[] {
  return store.takedownsOfReport.all({ reportSeq }).map(toTakedown);
}

function threatStatements(database: Database) {
  return {
    threatById: statement(database, (query) =>
      query
        .select(columnsOf(threats, "seq domain registrar siteState"))
        .from(threats)
        .where(hasValue(threats.id)),
    ),
    openTakedown: statement(database, (query) =>
      query
        .select({ seq: takedowns.seq })
        .from(takedowns)
        .where(and(hasValue(takedowns.threatSeq), isNull(takedowns.downAt), isNull(takedowns.closedAt))),
    ),
    insertTakedown: statement(database, (query) =>
      query
        .insert(takedowns)
        .values(valuesExcept(takedowns, "seq", "backAt", "closedAt"))
        .returning({ seq: takedowns.seq }),
    ),
    cover: statement(database, (query) =>
      query.insert(takedownReportThreats).values(valuesOf(takedownReportThreats, "reportSeq", "takedownSeq")),
    ),
    takedownsOfReport: statement(database, (query) =>
      query
        .select(takedownColumns)
        .from(takedownReportThreats)
        .innerJoin(takedowns, eq(takedowns.seq, takedownReportThreats.takedownSeq))
        .leftJoin(threats, eq(threats.seq, takedowns.threatSeq))
        .where(hasValue(takedownReportThreats.reportSeq))
        .orderBy(asc(takedowns.domain), asc(takedowns.seq)),
    ),
    takedownsOfThreat: statement(database, (query) =>
      query
        .select(takedownColumns)
        .from(takedowns)
        .innerJoin(threats, eq(threats.seq, takedowns.threatSeq))
        .where(hasValue(threats.id))
        .orderBy(asc(takedowns.seq)),
    ),
    closeTakedowns: statement(database, (query) =>
      query
        .update(takedowns)
        .set({ closedAt: value(takedowns.closedAt) })
        .where(
          sql`${takedowns.seq} in (select ${takedownReportThreats.takedownSeq} from ${takedownReportThreats}
            where ${takedownReportThreats.reportSeq} = ${value(takedownReportThreats.reportSeq)})
            and ${takedowns.downAt} is null and ${takedowns.closedAt} is null`,
        )
        .returning({ seq: takedowns.seq }),
    ),
  };
}

function reportStatements(database: Database) {
  const isReport = hasValue(takedownReports.seq);
  const reports = (condition: SQL) =>
    statement(database, (query) =>
      query.select().from(takedownReports).where(condition).orderBy(asc(takedownReports.seq)),
    );
  const set = (...columns: (keyof typeof takedownReports.$inferSelect)[]) =>
    statement(database, (query) =>
      query
        .update(takedownReports)
        .set(valuesOf(takedownReports, ...columns))
        .where(isReport),
    );
  return {
    report: reports(isReport),
    reportByReference: reports(hasValue(takedownReports.reference)),
    insertReport: statement(database, (query) =>
      query
        .insert(takedownReports)
        .values(valuesExcept(takedownReports, "seq", "deliveryResponse", "attempts", "sentAt"))
        .returning({ seq: takedownReports.seq }),
    ),
    reportsOfThreat: statement(database, (query) =>
      query
        .selectDistinct()
        .from(takedownReports)
        .where(
          sql`${takedownReports.seq} in (select ${takedownReportThreats.reportSeq} from ${takedownReportThreats}
            join ${takedowns} on ${takedowns.seq} = ${takedownReportThreats.takedownSeq}
            join ${threats} on ${threats.seq} = ${takedowns.threatSeq} where ${threats.id} = ${value(threats.id)})`,
        )
        .orderBy(asc(takedownReports.seq)),
    ),
    reportsAfter: reports(hasValue(takedownReports.previousSeq)),
    /** The next email whose attempt is due. */
    nextQueued: statement(database, (query) =>
      query
        .select()
        .from(takedownReports)
        .where(sql`${takedownReports.attemptAt} is not null`)
        .orderBy(asc(takedownReports.attemptAt))
        .limit(1),
    ),
    setDelivery: set("delivery", "deliveryResponse", "attempts", "attemptAt", "sentAt"),
    interrupted: statement(database, (query) =>
      query
        .update(takedownReports)
        .set({ delivery: "interrupted" })
        .where(sql`${takedownReports.delivery} = 'sending'`)
        .returning({ seq: takedownReports.seq }),
    ),
    setFollowUp: set("followUpAt"),
    setTicket: set("ticket"),
  };
}

function partStatements(database: Database) {
  const ofReport = hasValue(takedownFiles.reportSeq);
  return {
    insertResponse: statement(database, (query) =>
      query.insert(takedownResponses).values(valuesExcept(takedownResponses, "seq")),
    ),
    responses: statement(database, (query) =>
      query
        .select()
        .from(takedownResponses)
        .where(hasValue(takedownResponses.reportSeq))
        .orderBy(desc(takedownResponses.seq)),
    ),
    insertFile: statement(database, (query) =>
      query.insert(takedownFiles).values(valuesExcept(takedownFiles)),
    ),
    files: statement(database, (query) =>
      query
        .select({
          ...columnsOf(takedownFiles, "position name mediaType bytes sha256 attached"),
          isKept: sql<number>`${takedownFiles.content} is not null`,
        })
        .from(takedownFiles)
        .where(ofReport)
        .orderBy(asc(takedownFiles.position)),
    ),
    fileContent: statement(database, (query) =>
      query
        .select({ content: takedownFiles.content })
        .from(takedownFiles)
        .where(and(ofReport, hasValue(takedownFiles.position))),
    ),
    keptBytes: statement(database, (query) =>
      query
        .select({ total: sql<number>`coalesce(sum(${takedownFiles.bytes}), 0)` })
        .from(takedownFiles)
        .where(sql`${takedownFiles.content} is not null`),
    ),
    oldestKept: statement(database, (query) =>
      query
        .select({ reportSeq: takedownFiles.reportSeq, bytes: sql<number>`sum(${takedownFiles.bytes})` })
        .from(takedownFiles)
        .where(
          sql`${takedownFiles.content} is not null and not exists (select 1 from ${takedownReports}
            where ${takedownReports.seq} = ${takedownFiles.reportSeq} and ${takedownReports.attemptAt} is not null)`,
        )
        .groupBy(takedownFiles.reportSeq)
        .orderBy(asc(takedownFiles.reportSeq))
        .limit(1),
    ),
    dropFiles: statement(database, (query) =>
      query.update(takedownFiles).set({ content: null }).where(ofReport),
    ),
  };
}

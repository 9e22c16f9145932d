import { jsonFields } from "../../../platform/lib/key-names.ts";
import { sql, type SQL } from "drizzle-orm";
import type { Database } from "../../../platform/database/database.ts";
import type { Needs } from "../../../platform/database/needs.ts";
import { statement, value } from "../../../platform/database/statement.ts";
import { optionalIsoTime, toIsoTime, type Instant } from "../../../platform/lib/clock.ts";
import { threats } from "../../../threats/threats/store/tables.ts";
import type { Report, Takedown } from "./report.ts";
import { isBack, isOpen, nextStepOf, takedownColumns, toReport, toTakedown, type NextStep } from "./rows.ts";
import { createStatistics } from "./statistics.ts";
import { takedownsOf, type TakedownStore } from "./store.ts";
import { takedownReports, takedownReportThreats, takedowns } from "./tables.ts";

export const reportViews = ["attention", "open", "all"] as const;
export type ReportView = (typeof reportViews)[number];

/** A report of a list, with its threats and what it needs from a person. */
export interface ListedReport {
  report: Report;
  takedowns: Takedown[];
  next: NextStep;
}

/** Items that need a person, oldest first. */
export interface TakedownNeeds {
  cameBack: Takedown[];
  notDelivered: ListedReport[];
  followUps: ListedReport[];
}

export type TakedownLists = ReturnType<typeof createTakedownLists>;

/** Number of items that need a person. */
export type TakedownAttention = ReturnType<TakedownLists["attention"]>;

/** Whether one of the takedowns of the report in the outer query meets a condition. */
const someTakedown = (condition: SQL): SQL => sql`exists (select 1 from ${takedownReportThreats}
  join ${takedowns} on ${takedowns.seq} = ${takedownReportThreats.takedownSeq}
  left join ${threats} on ${threats.seq} = ${takedowns.threatSeq}
  where ${takedownReportThreats.reportSeq} = ${takedownReports.seq} and ${condition})`;

/** Whether the report of the outer query has neither been followed up nor escalated. */
const isLatest = sql`not exists (select 1 from takedown_reports next where next.previous_seq = ${takedownReports.seq})`;
// The first line repeats the condition of the partial index `takedown_reports_problem`, so that SQLite uses the index.
const isUndelivered = sql`${takedownReports.delivery} in ('sending', 'interrupted', 'bounced', 'failed')
  and ${takedownReports.delivery} <> 'sending' and ${isLatest} and ${someTakedown(isOpen)}`;
const isDue = sql`${takedownReports.followUpAt} is not null
  and ${takedownReports.followUpAt} <= ${value(takedownReports.createdAt, "now")}
  and ${isLatest} and ${someTakedown(isOpen)}`;

export function createTakedownLists({
  clock,
  database,
  store,
}: Needs<"clock" | "database"> & { store: TakedownStore }) {
  const views = {
    attention: viewStatements(database, sql`((${isUndelivered}) or (${isDue}) or ${someTakedown(isBack)})`),
    open: viewStatements(database, someTakedown(isOpen)),
    all: viewStatements(database, sql`true`),
  };
  const counts = attentionStatements(database);
  const statistics = createStatistics({ database });

  function listed(report: Report): ListedReport {
    const covered = takedownsOf(store, report.seq);
    const now = clock.now();
    return {
      report,
      takedowns: covered,
      next: nextStepOf(report, {
        hasNext: store.reportsAfter.get({ previousSeq: report.seq }) !== undefined,
        isBack: covered.some(({ isBack: needsReport }) => needsReport),
        isOpen: covered.some(({ outcome }) => outcome === "open"),
        now,
      }),
    };
  }

  return {
    /** Returns a page of the reports of a view, newest first. */
    list(view: ReportView, { limit, offset }: { limit: number; offset: number }) {
      const now = clock.now();
      const { rows, total } = views[view];
      return {
        reports: rows.all({ now, limit, offset }).map((row) => listed(toReport(row))),
        total: total.get({ now })!.total,
      };
    },
    /** Counts what needs a person. Takes microseconds: every page of the console shows it. */
    attention: () => ({
      cameBack: counts.cameBack.get()!.total,
      notDelivered: counts.notDelivered.get()!.total,
      followUps: counts.followUps.get({ now: clock.now() })!.total,
    }),
    /** Counts the emails that wait for an attempt. `oldestAt` is when the oldest of them was written; null: none waits. */
    queue: () => counts.queue.get()!,
    /** Returns what `attention` counts, at most `limit` of each kind. */
    needs: (limit: number): TakedownNeeds => ({
      cameBack: counts.oldestBack.all({ limit }).map(toTakedown),
      notDelivered: counts.oldestNotDelivered.all({ limit }).map((row) => listed(toReport(row))),
      followUps: counts.oldestDue.all({ limit, now: clock.now() }).map((row) => listed(toReport(row))),
    }),
    /** Returns the reports of a threat, oldest first. */
    ofThreat: (threatId: string) =>
      store.reportsOfThreat.all({ id: threatId }).map((row) => listed(toReport(row))),
    /** Returns the attempts to take a threat down, oldest first. */
    takedownsOfThreat: (threatId: string) => store.takedownsOfThreat.all({ id: threatId }).map(toTakedown),
    /** Returns the reports of a threat as the API shows them, oldest first. */
    reportsOf: (threatId: string) =>
      store.reportsOfThreat.all({ id: threatId }).map((row) => {
        const report = toReport(row);
        const own = takedownsOf(store, report.seq).find((one) => one.threatId === threatId);
        return reportJson(report, own);
      }),
    /** Returns the state of the site of a threat; null: not determined, or there is no such threat. */
    siteStateOf: (threatId: string) => store.threatById.get({ id: threatId })?.siteState ?? null,
    /** Returns sites that were up again after they were down, and are so now, newest first. */
    cameBack: (limit: number) => counts.newestBack.all({ limit }).map(toTakedown),
    statistics,
  };
}

function countStatement(database: Database, condition: SQL) {
  return statement(database, (query) =>
    query
      .select({ total: sql<number>`count(*)` })
      .from(takedownReports)
      .where(condition),
  );
}

function viewStatements(database: Database, condition: SQL) {
  return {
    rows: statement(database, (query) =>
      query
        .select()
        .from(takedownReports)
        .where(condition)
        .orderBy(sql`${takedownReports.seq} desc`)
        .limit(sql.placeholder("limit"))
        .offset(sql.placeholder("offset")),
    ),
    total: countStatement(database, condition),
  };
}

function attentionStatements(database: Database) {
  const oldest = (condition: SQL) =>
    statement(database, (query) =>
      query
        .select()
        .from(takedownReports)
        .where(condition)
        .orderBy(takedownReports.seq)
        .limit(sql.placeholder("limit")),
    );
  const back = (order: SQL) =>
    statement(database, (query) =>
      query
        .select(takedownColumns)
        .from(takedowns)
        .innerJoin(threats, sql`${threats.seq} = ${takedowns.threatSeq}`)
        .where(isBack)
        .orderBy(order)
        .limit(sql.placeholder("limit")),
    );
  return {
    queue: statement(database, (query) =>
      query
        .select({
          queued: sql<number>`count(*)`,
          oldestAt: sql<Instant | null>`min(${takedownReports.createdAt})`,
        })
        .from(takedownReports)
        .where(sql`${takedownReports.attemptAt} is not null`),
    ),
    notDelivered: countStatement(database, isUndelivered),
    followUps: countStatement(database, isDue),
    cameBack: statement(database, (query) =>
      query
        .select({ total: sql<number>`count(*)` })
        .from(takedowns)
        .innerJoin(threats, sql`${threats.seq} = ${takedowns.threatSeq}`)
        .where(isBack),
    ),
    oldestNotDelivered: oldest(isUndelivered),
    oldestDue: oldest(isDue),
    oldestBack: back(sql`${takedowns.seq}`),
    newestBack: back(sql`${takedowns.backAt} desc`),
  };
}

/** Returns a report as programs read it. @param own its outcome for one threat */
export function reportJson(report: Report, own: Takedown | undefined): object {
  const { recipient } = report;
  const { source } = recipient;
  return {
    ...jsonFields(report, "reference purpose"),
    recipient: {
      ...jsonFields(recipient, "kind name email formUrl"),
      source: { from: source.from, url: source.url ?? null, at: optionalIsoTime(source.at) },
    },
    ...jsonFields(report, "method subject"),
    language: "en",
    created_at: toIsoTime(report.createdAt),
    created_by: report.by.name,
    ...jsonFields(report, "ticket delivery deliveryResponse sentAt followUpAt"),
    ...(own && jsonFields(own, "outcome downAt downState")),
  };
}

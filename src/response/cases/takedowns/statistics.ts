import { sql, type SQL } from "drizzle-orm";
import type { Database } from "../../../platform/database/database.ts";
import { statement } from "../../../platform/database/statement.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import { threats } from "../../../threats/threats/store/tables.ts";
import type { Takedown } from "./report.ts";
import { isOpen, takedownColumns, toTakedown } from "./rows.ts";
import { takedowns } from "./tables.ts";

/**
 * Figures of a group of takedowns. The time to down runs from the first report, or if the site was not up then, from when
 * it was first seen up after it, until it was seen down, blocked, parked or unregistered. It is known to the accuracy of
 * the checks. Several reports on one site are one takedown; a report on several sites is several; a site that came back
 * and was reported again is a further one. A site that was already down when it was reported, and one that was never
 * up, has no time to down. A deleted threat counts if it went down before.
 */
export interface TakedownFigures {
  /** Registrar, hoster or protected domain; null: not known. */
  name: string | null;
  reported: number;
  /** Takedowns that have a time to down. */
  down: number;
  /** Median time to down in milliseconds; null: none has one. The mean of the middle two if their number is even. */
  medianMs: number | null;
  open: number;
  /** Takedowns after which the site was up again. */
  cameBack: number;
}

export interface TakedownStatistics {
  total: TakedownFigures;
  /** The groups with the most reports first. */
  registrars: TakedownFigures[];
  hosters: TakedownFigures[];
  protectedDomains: TakedownFigures[];
  /** Open takedowns of sites that are up, the oldest first. */
  slowest: (Takedown & { waitingSince: Instant })[];
}

const groupsMax = 100;
const slowestMax = 10;

export function createStatistics({ database }: { database: Database }): () => TakedownStatistics {
  const figures = {
    total: figuresStatement(database, sql`null`),
    registrars: figuresStatement(database, sql`${takedowns.registrar}`),
    hosters: figuresStatement(database, sql`${takedowns.hoster}`),
    protectedDomains: figuresStatement(database, sql`${takedowns.protectedDomain}`),
  };
  const slowest = statement(database, (query) =>
    query
      .select(takedownColumns)
      .from(takedowns)
      .innerJoin(threats, sql`${threats.seq} = ${takedowns.threatSeq}`)
      .where(sql`${takedowns.countedFrom} is not null and ${isOpen}`)
      .orderBy(sql`${takedowns.countedFrom}, ${takedowns.seq}`)
      .limit(slowestMax),
  );
  const none = { name: null, reported: 0, down: 0, medianMs: null, open: 0, cameBack: 0 };
  return () =>
    database.snapshot(() => ({
      total: figures.total.all()[0] ?? none,
      registrars: figures.registrars.all(),
      hosters: figures.hosters.all(),
      protectedDomains: figures.protectedDomains.all(),
      slowest: slowest.all().map((row) => ({ ...toTakedown(row), waitingSince: row.countedFrom! })),
    }));
}

function figuresStatement(database: Database, group: SQL) {
  // Rows without a time to down are ranked after the others of their group.
  const ranked = sql`(select ${group} as name, ${takedowns.backAt} as back_at,
      ${takedowns.downAt} - ${takedowns.countedFrom} as ms,
      (${isOpen}) as is_open,
      row_number() over (partition by ${group}
        order by ${takedowns.downAt} - ${takedowns.countedFrom} is null, ${takedowns.downAt} - ${takedowns.countedFrom}) as place,
      count(${takedowns.downAt} - ${takedowns.countedFrom}) over (partition by ${group}) as down
    from ${takedowns} left join ${threats} on ${threats.seq} = ${takedowns.threatSeq}) as ranked`;
  return statement(database, (query) =>
    query
      .select({
        name: sql<string | null>`name`,
        reported: sql<number>`count(*)`,
        down: sql<number>`count(ms)`,
        medianMs: sql<number | null>`avg(case when place in ((down + 1) / 2, (down + 2) / 2) then ms end)`,
        open: sql<number>`coalesce(sum(is_open), 0)`,
        cameBack: sql<number>`count(back_at)`,
      })
      .from(ranked)
      .groupBy(sql`name`)
      .orderBy(sql`count(*) desc, name`)
      .limit(groupsMax),
  );
}

import { and, asc, eq, gt, inArray, lte, ne, or, sql } from "drizzle-orm";
import type { Database } from "../../../platform/database/database.ts";
import { hasValue, statement, value } from "../../../platform/database/statement.ts";
import type { Yielder } from "../../../platform/lib/yielder.ts";
import { evidenceMin, evidenceOfCopy } from "../../../threats/threats/severity/mere-report.ts";
import { threatChangeLog, threats } from "../../../threats/threats/store/tables.ts";
import { severities } from "../../../platform/vocabulary/threats.ts";
import type { ListFilter } from "./list.ts";

/** A threat of any age that matches the filter of a list. */
export type MatchingThreat = ReturnType<ReturnType<typeof createStatements>["one"]["all"]>[number];

/** Receives what changed since the last call. */
interface ChangeReceiver {
  /** Everything received before is void, and all threats follow. */
  restart(): void;
  /** Threats that match; they may have been received before. */
  matches(threats: readonly MatchingThreat[]): void;
  /** A threat that no longer matches, or never did. */
  ends(seq: number): void;
}

/** Follows the threats that match a filter, whichever process changes them. */
export interface MatchingThreats {
  /** Returns whether `catchUp` has read all changes. Takes some microseconds. */
  isCurrent(): boolean;
  /** Passes on what changed since the last call; the first call passes on all matches. */
  catchUp(receiver: ChangeReceiver, yielder: Yielder): Promise<void>;
}

/** Threats that one query reads, whether they match or not. */
const rowsPerRead = 1_000;

/**
 * New threats are found by their `seq`, which only grows; changed and deleted ones in the change log, which holds the
 * latest 100,000 changes. All threats are read again once it no longer reaches back far enough.
 */
export function createMatchingThreats({
  database,
  filter,
}: {
  database: Pick<Database, "query">;
  filter: ListFilter;
}): MatchingThreats {
  const { bounds, range, one, changes } = createStatements(database, filter);
  let lastSeq = 0;
  /** Last change that was read; undefined before the first read. */
  let version: number | undefined;

  async function readNew(receiver: ChangeReceiver, yielder: Yielder): Promise<void> {
    for (let end = bounds.get()!.lastSeq ?? 0; lastSeq < end; end = bounds.get()!.lastSeq ?? 0) {
      const upTo = Math.min(lastSeq + rowsPerRead, end);
      receiver.matches(range.all({ after: lastSeq, upTo }));
      lastSeq = upTo;
      if (yielder.due()) await yielder.pause();
    }
  }

  async function readChanges(receiver: ChangeReceiver, yielder: Yielder): Promise<void> {
    for (;;) {
      const changed = changes.all({ after: version });
      if (changed.length === 0) return;
      for (const { threatSeq } of changed) {
        const found = one.all({ seq: threatSeq });
        if (found.length === 0) receiver.ends(threatSeq);
        else receiver.matches(found);
      }
      version = changed.at(-1)!.version;
      if (yielder.due()) await yielder.pause();
    }
  }

  return {
    isCurrent() {
      const { lastSeq: seq, lastVersion } = bounds.get()!;
      return version === (lastVersion ?? 0) && lastSeq >= (seq ?? 0);
    },
    async catchUp(receiver, yielder) {
      const { firstVersion, lastVersion } = bounds.get()!;
      if (version === undefined || (firstVersion !== null && firstVersion > version + 1)) {
        receiver.restart();
        lastSeq = 0;
        version = lastVersion ?? 0;
      }
      await readNew(receiver, yielder);
      await readChanges(receiver, yielder);
    },
  };
}

/** See `isMereReport`. */
const isNoMereReport = or(
  ne(threats.type, "cloned_site"),
  gt(threats.similarity, 0),
  sql`(select sum(points.value) from json_each(${threats.severityReasons}) reason
    join json_each(${JSON.stringify(evidenceOfCopy)}) points on points.key = reason.value ->> 'code') >= ${evidenceMin}`,
);

function createStatements(database: Pick<Database, "query">, filter: ListFilter) {
  const { statuses, minSeverity, verifiedOnly } = filter;
  const columns = {
    seq: threats.seq,
    name: threats.domain,
    protectedDomainSeq: threats.protectedDomainSeq,
    type: threats.type,
    similarity: threats.similarity,
    severity: threats.severity,
    firstSeen: threats.firstSeen,
  };
  const matches = and(
    inArray(threats.status, [...statuses]),
    inArray(threats.severity, severities.slice(0, severities.indexOf(minSeverity) + 1)),
    ...(verifiedOnly ? [eq(threats.verified, true), isNoMereReport] : []),
  );
  const { version } = threatChangeLog;
  return {
    bounds: statement(database, (query) =>
      query
        .select({
          lastSeq: sql<number | null>`(select max(${threats.seq}) from ${threats})`,
          firstVersion: sql<number | null>`(select min(${version}) from ${threatChangeLog})`,
          lastVersion: sql<number | null>`(select max(${version}) from ${threatChangeLog})`,
        })
        .from(sql`(select 1)`),
    ),
    range: statement(database, (query) =>
      query
        .select(columns)
        .from(threats)
        .where(
          and(
            gt(threats.seq, value(threats.seq, "after")),
            lte(threats.seq, value(threats.seq, "upTo")),
            matches,
          ),
        ),
    ),
    one: statement(database, (query) =>
      query
        .select(columns)
        .from(threats)
        .where(and(hasValue(threats.seq), matches)),
    ),
    changes: statement(database, (query) =>
      query
        .select({ version, threatSeq: threatChangeLog.threatSeq })
        .from(threatChangeLog)
        .where(gt(version, value(version, "after")))
        .orderBy(asc(version))
        .limit(rowsPerRead),
    ),
  };
}

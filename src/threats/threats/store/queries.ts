import { and, asc, eq, inArray } from "drizzle-orm";
import type { Database } from "../../../platform/database/database.ts";
import { columnsOf, opaqueValue, statement } from "../../../platform/database/statement.ts";
import { protectedDomains } from "../../domains/tables.ts";
import { createDetailQuery } from "./detail-query.ts";
import { allColumns } from "./fields.ts";
import { createListQuery } from "./list-query.ts";
import { threatCounts, threats } from "./tables.ts";

export type { ListedThreat, ThreatFilter } from "./list-query.ts";
export type { ThreatDetail } from "./detail-query.ts";

/** A threat with all of its columns. */
export type Threat = NonNullable<ReturnType<ThreatQueries["get"]>>;
export type NamedThreat = ReturnType<ThreatQueries["named"]>[number];
export type ThreatQueries = ReturnType<typeof createThreatQueries>;

export function createThreatQueries(database: Database) {
  const byId = statement(database, (query) =>
    query
      .select(allColumns)
      .from(threats)
      .innerJoin(protectedDomains, eq(threats.protectedDomainSeq, protectedDomains.seq))
      .where(eq(threats.id, opaqueValue(threats.id))),
  );
  const totals = statement(database, (query) =>
    query
      .select({ status: threatCounts.status, severity: threatCounts.severity, total: threatCounts.total })
      .from(threatCounts)
      .where(eq(threatCounts.protectedDomainSeq, 0))
      .orderBy(asc(threatCounts.status), asc(threatCounts.severity)),
  );
  return {
    get: (id: string) => byId.get({ id }),
    /** Returns the threats to a protected domain that have one of these names (A-label form). */
    named: (protectedDomain: string, names: readonly string[]) =>
      database.query
        .select(columnsOf(threats, "id domain status severity verified"))
        .from(threats)
        .innerJoin(protectedDomains, eq(threats.protectedDomainSeq, protectedDomains.seq))
        .where(and(eq(protectedDomains.domain, protectedDomain), inArray(threats.domain, [...names])))
        .all(),
    detail: createDetailQuery(database),
    ...createListQuery(database),
    totals: () => totals.all(),
  };
}

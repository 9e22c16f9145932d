import { eq, type SQL } from "drizzle-orm";
import type { Database } from "../../../platform/database/database.ts";
import { opaqueValue, statement } from "../../../platform/database/statement.ts";
import { protectedDomains } from "../../domains/tables.ts";
import type { ThreatSnapshot } from "../../events/event-filter.ts";
import { changeableColumns } from "./fields.ts";
import { threats } from "./tables.ts";

export type ThreatSnapshots = ReturnType<typeof createThreatSnapshots>;

/** Reads the present state of threats that events are about. */
export function createThreatSnapshots(database: Database) {
  const where = (condition: SQL) =>
    statement(database, (query) =>
      query
        .select({ ...changeableColumns, source: threats.source, verified: threats.verified })
        .from(threats)
        .innerJoin(protectedDomains, eq(threats.protectedDomainSeq, protectedDomains.seq))
        .where(condition),
    );
  const byId = where(eq(threats.id, opaqueValue(threats.id)));
  const bySeq = where(eq(threats.seq, opaqueValue(threats.seq)));
  return {
    byId: (id: string): ThreatSnapshot | null => byId.get({ id }) ?? null,
    bySeq: (seq: number): ThreatSnapshot | null => bySeq.get({ seq }) ?? null,
  };
}

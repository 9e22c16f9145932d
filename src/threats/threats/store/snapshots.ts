import { eq, type SQL } from "drizzle-orm";
import type { Database } from "../../../platform/database/database.ts";
import { opaqueValue, statement } from "../../../platform/database/statement.ts";
import { protectedDomains } from "../../domains/tables.ts";
import type { ThreatSnapshot } from "../../events/event-filter.ts";
import { changeableColumns } from "./fields.ts";
import { threats } from "./tables.ts";

/** Reads the present state of threats that events are about. */
export interface ThreatSnapshots {
  byId(id: string): ThreatSnapshot | null;
  bySeq(seq: number): ThreatSnapshot | null;
}

export function createThreatSnapshots(database: Database): ThreatSnapshots {
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
    byId: (id) => byId.get({ id }) ?? null,
    bySeq: (seq) => bySeq.get({ seq }) ?? null,
  };
}

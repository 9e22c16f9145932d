import { eq } from "drizzle-orm";
import type { Database } from "../database/database.ts";
import { opaqueValue, statement, value, valuesOf } from "../database/statement.ts";
import { dayMs, type Clock } from "../lib/clock.ts";
import type { Registration } from "../vocabulary/registration.ts";
import type { Severity } from "../vocabulary/threats.ts";
import { severityOf, type SeverityFacts } from "./severity/severity.ts";
import { isVerified } from "./severity/verified.ts";
import { threats } from "./store/tables.ts";
import type { Change, History } from "./triage/history.ts";

/** Facts about a suspicious domain that lookups found. */
export interface ThreatFacts {
  /** The first of its addresses; null: none, or not known. */
  ipAddress: string | null;
  registrar: string | null;
  whois: Registration;
  /** Evidence for the severity, beyond name and type. */
  evidence: SeverityFacts;
}

export interface FactsUpdated {
  severity: Severity;
  previousSeverity: Severity;
}

/**
 * Writes the facts of a threat, updates its severity and records the changes in its history. It records no event:
 * `threat.updated` is for status changes. Must run within a transaction.
 * @returns undefined if there is no such threat
 */
export type UpdateFacts = (
  id: string,
  facts: ThreatFacts,
  changes: readonly Change[],
) => FactsUpdated | undefined;

export function createFactsUpdater({
  database,
  clock,
  history,
}: {
  database: Database;
  clock: Clock;
  history: History;
}): UpdateFacts {
  const find = statement(database, (query) =>
    query
      .select({
        seq: threats.seq,
        type: threats.type,
        similarity: threats.similarity,
        severity: threats.severity,
        cloneSeenAt: threats.cloneSeenAt,
      })
      .from(threats)
      .where(eq(threats.id, opaqueValue(threats.id))),
  );
  const set = statement(database, (query) =>
    query
      .update(threats)
      .set(valuesOf(threats, "ipAddress", "registrar", "whois", "severity", "severityReasons", "verified"))
      .where(eq(threats.seq, value(threats.seq))),
  );

  return (id, { ipAddress, registrar, whois, evidence }, changes) => {
    const threat = find.get({ id });
    if (threat === undefined) return undefined;
    const { severity, reasons } = severityOf({
      ...threat,
      facts: evidence,
      cloneSeenDays:
        threat.cloneSeenAt === null ? undefined : Math.floor((clock.now() - threat.cloneSeenAt) / dayMs),
    });
    const verified = isVerified({
      type: threat.type,
      cloneSeen: threat.cloneSeenAt !== null,
      facts: evidence,
    });
    set.run({ seq: threat.seq, ipAddress, registrar, whois, severity, severityReasons: reasons, verified });
    const severityChange: Change[] =
      severity === threat.severity ? [] : [{ field: "severity", before: threat.severity, after: severity }];
    history.record(threat.seq, [...changes, ...severityChange], null);
    return { severity, previousSeverity: threat.severity };
  };
}

import { eq, sql } from "drizzle-orm";
import type { Database } from "../database/database.ts";
import { opaque } from "../database/placeholders.ts";
import type { Clock } from "../lib/clock.ts";
import type { Change, History } from "./history.ts";
import { severityOf, type SeverityFacts } from "./severity.ts";
import { threats } from "./tables.ts";
import type { Registration } from "../vocabulary/registration.ts";
import type { Severity } from "../vocabulary/threats.ts";

/** What has been found out about a suspicious domain. */
export interface ThreatFacts {
  /** The first of its addresses; null: none, or not known. */
  ipAddress: string | null;
  registrar: string | null;
  whois: Registration;
  /** What the severity is judged by, beside name and type. */
  evidence: SeverityFacts;
}

export interface FactsUpdated {
  severity: Severity;
  previousSeverity: Severity;
}

/**
 * Writes facts to a threat, judges its severity anew and keeps the changes in its history. No event tells of
 * it: `threat.updated` is for status changes. Has to run within a transaction.
 * @returns undefined when there is no such threat
 */
export type UpdateFacts = (
  id: string,
  facts: ThreatFacts,
  changes: readonly Change[],
) => FactsUpdated | undefined;

const dayMs = 86_400_000;

export function createFactsUpdater({
  database,
  clock,
  history,
}: {
  database: Database;
  clock: Clock;
  history: History;
}): UpdateFacts {
  const find = database.query
    .select({
      seq: threats.seq,
      type: threats.type,
      similarity: threats.similarity,
      severity: threats.severity,
      cloneSeenAt: threats.cloneSeenAt,
    })
    .from(threats)
    .where(eq(threats.id, opaque("id")))
    .prepare();
  const value = (name: string) => sql`${sql.placeholder(name)}`;
  const set = database.query
    .update(threats)
    .set({
      ipAddress: value("ipAddress"),
      registrar: value("registrar"),
      whois: value("whois"),
      severity: value("severity"),
      severityReasons: value("severityReasons"),
    })
    .where(eq(threats.seq, sql.placeholder("seq")))
    .prepare();

  return (id, { ipAddress, registrar, whois, evidence }, changes) => {
    const threat = find.get({ id });
    if (threat === undefined) return undefined;
    const { severity, reasons } = severityOf({
      ...threat,
      facts: evidence,
      cloneSeenDays:
        threat.cloneSeenAt === null ? undefined : Math.floor((clock.now() - threat.cloneSeenAt) / dayMs),
    });
    set.run({
      seq: threat.seq,
      ipAddress,
      registrar,
      whois: JSON.stringify(whois),
      severity,
      severityReasons: JSON.stringify(reasons),
    });
    const judged: Change[] =
      severity === threat.severity ? [] : [{ field: "severity", before: threat.severity, after: severity }];
    history.record(threat.seq, [...changes, ...judged], null);
    return { severity, previousSeverity: threat.severity };
  };
}

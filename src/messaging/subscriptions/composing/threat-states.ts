import type { Database } from "../../../platform/database/database.ts";
import type { ThreatSnapshot } from "../../../threats/events/event-filter.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import type { SeverityReason } from "../../../threats/threats/severity/severity-reasons.ts";
import type { SimilarityReason } from "../../../threats/threats/severity/similarity-reasons.ts";
import { severities, type Severity } from "../../../platform/vocabulary/threats.ts";

/** Present state of a threat in a message, and what found it. */
export interface ThreatState extends ThreatSnapshot {
  importSeq: number | null;
  scanSeq: number | null;
}

/** Present states of threats, for messages. */
export type ThreatStates = ReturnType<typeof createThreatStates>;

export function createThreatStates({ prepare }: Pick<Database, "prepare">) {
  type Row = Omit<ThreatState, "verified"> & { verified: 0 | 1 };
  const states = prepare<Row, [string]>(
    `select t.seq, t.id, t.domain, d.domain as protectedDomain, t.type, t.severity, t.similarity, t.source, t.verified,
       t.status, t.import_seq as importSeq, t.scan_seq as scanSeq
     from json_each(?) wanted join threats t on t.seq = wanted.value
     join protected_domains d on d.seq = t.protected_domain_seq`,
  );
  const details = prepare<{ firstSeen: Instant; reasons: string; severityReasons: string }, [number]>(
    `select first_seen as firstSeen, reasons, severity_reasons as severityReasons from threats where seq = ?`,
  );
  type Count = { severity: Severity; total: number };
  const allOpen = prepare<Count>(
    "select severity, total from threat_counts where protected_domain_seq = 0 and status = 'active'",
  );
  const openOf = prepare<Count, [string]>(
    `select c.severity, sum(c.total) as total from json_each(?) wanted
     join protected_domains d on d.domain = wanted.value
     join threat_counts c on c.protected_domain_seq = d.seq
     where c.status = 'active' group by c.severity`,
  );

  return {
    /** Returns the present states of those that are on record. */
    read: (threatSeqs: readonly number[]): ThreatState[] =>
      states
        .all(JSON.stringify(threatSeqs))
        .map(({ verified, ...row }) => ({ ...row, verified: verified === 1 })),
    /** Returns fields of a threat that only a message with few threats shows. */
    details(threatSeq: number) {
      const { firstSeen, reasons, severityReasons } = details.get(threatSeq)!;
      return {
        firstSeen,
        reasons: JSON.parse(reasons) as SimilarityReason[],
        severityReasons: JSON.parse(severityReasons) as SeverityReason[],
      };
    },
    /** Returns the number of active threats of some protected domains by severity. @param domains empty: all */
    open(domains: readonly string[]): Record<Severity, number> {
      const rows = domains.length === 0 ? allOpen.all() : openOf.all(JSON.stringify(domains));
      const totals = new Map(rows.map(({ severity, total }) => [severity, total]));
      const [high, medium, low] = severities.map((severity) => totals.get(severity) ?? 0);
      return { high: high!, medium: medium!, low: low! };
    },
  };
}

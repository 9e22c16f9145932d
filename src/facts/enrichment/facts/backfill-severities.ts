import { dayMs, type Instant } from "../../../platform/lib/clock.ts";
import { severityOf } from "../../../threats/threats/severity/severity.ts";
import type { SimilarityReason } from "../../../threats/threats/severity/similarity-reasons.ts";
import type { Severity, ThreatType } from "../../../platform/vocabulary/threats.ts";
import { createBackfill, type Backfill, type BackfillDependencies } from "./backfill.ts";
import { severityFactsOf, type Facts } from "./facts.ts";

interface Row {
  seq: number;
  domain: string;
  protectedDomain: string;
  type: ThreatType;
  similarity: number;
  reasons: string;
  severity: Severity;
  clone_seen_at: Instant | null;
  facts: string | null;
}

/**
 * Rates the threats whose names a version before 0.5.0 rated, by their names and stored facts. Those who poll for changes
 * see the severities that differ. There is no escalation and no entry in the history: nothing happened to these threats.
 */
export function createSeverityBackfill(dependencies: BackfillDependencies): Backfill {
  const { clock, database } = dependencies;
  const { sqlite } = database;

  function complete(from: number, to: number): void {
    const now = clock.now();
    const rows = sqlite
      .query<Row, [number, number]>(
        `select t.seq, t.domain, p.domain as protectedDomain, type, similarity, reasons, severity, clone_seen_at, facts
         from threats t join protected_domains p on p.seq = protected_domain_seq left join enrichments on threat_seq = t.seq
         where t.seq > ? and t.seq <= ?
           and (severity_reasons like '%"deceives_%' or severity_reasons like '%"resembles_protected_name"%')`,
      )
      .all(from, to);
    const update = sqlite.query<unknown, [Severity, string, Instant, number]>(
      `update threats set severity = ?1, severity_reasons = ?2,
         changed_at = iif(severity = ?1, changed_at, max(changed_at + 1, ?3)) where seq = ?4`,
    );
    for (const { clone_seen_at: cloneSeenAt, facts, reasons, ...row } of rows) {
      const scored = severityOf(
        { ...row, reasons: JSON.parse(reasons) as SimilarityReason[] },
        {
          facts: facts === null ? undefined : severityFactsOf(JSON.parse(facts) as Facts, now),
          cloneSeenDays: cloneSeenAt === null ? undefined : Math.floor((now - cloneSeenAt) / dayMs),
        },
      );
      update.run(scored.severity, JSON.stringify(scored.reasons), now, row.seq);
    }
  }

  return createBackfill(dependencies, {
    setting: "severities_left",
    delayed: "lookup.severities_delayed",
    complete,
  });
}

import { eq } from "drizzle-orm";
import type { Needs } from "../../platform/database/needs.ts";
import { columnsOf, hasValue, opaqueValue, statement, valuesOf } from "../../platform/database/statement.ts";
import { protectedDomains } from "../domains/tables.ts";
import { dayMs } from "../../platform/lib/clock.ts";
import type { Registration, SiteState } from "../../platform/vocabulary/site.ts";
import type { Severity } from "../../platform/vocabulary/threats.ts";
import { assessedColumns, type Assess } from "./assessment.ts";
import { type SeverityFacts, severityOf } from "./severity/severity.ts";
import { isVerified } from "./severity/verified.ts";
import { siteStateAfter } from "./case/site-state.ts";
import { threats } from "./store/tables.ts";
import type { Change } from "./triage/history.ts";

/** Facts about a suspicious domain that lookups found. */
export interface ThreatFacts {
  /** The first of its addresses; null: none, or not known. */
  ipAddress: string | null;
  registrar: string | null;
  /** The first of its name servers in alphabetical order; null or absent: none, or not known. */
  nameServer?: string | null;
  whois: Registration;
  /** State of the site according to these facts; null or absent: they do not show it. */
  siteState?: SiteState | null;
  /** Evidence for the severity, beyond name and type. */
  evidence: SeverityFacts;
}

export interface FactsUpdated {
  severity: Severity;
  previousSeverity: Severity;
  siteState: SiteState | null;
  previousSiteState: SiteState | null;
}

/**
 * Writes the facts of a threat, updates its severity and records the changes in its history. It records no event:
 * `threat.updated` is for status changes. A severity that rises and a threat that becomes verified are recorded as an
 * escalation. Must run within a transaction.
 * @returns undefined if there is no such threat
 */
export type UpdateFacts = (
  id: string,
  facts: ThreatFacts,
  changes: readonly Change[],
) => FactsUpdated | undefined;

export function createFactsUpdater({
  assess,
  clock,
  database,
}: Needs<"clock" | "database"> & { assess: Assess }): UpdateFacts {
  const find = statement(database, (query) =>
    query
      .select({
        ...columnsOf(threats, "seq domain type similarity reasons status cloneSeenAt changedAt"),
        ...columnsOf(threats, "severity severityReasons verified dueAt siteState siteStateAt"),
        ...columnsOf(threats, "ipAddress registrar nameServer"),
        protectedDomain: protectedDomains.domain,
      })
      .from(threats)
      .innerJoin(protectedDomains, eq(threats.protectedDomainSeq, protectedDomains.seq))
      .where(eq(threats.id, opaqueValue(threats.id))),
  );
  const set = statement(database, (query) =>
    query
      .update(threats)
      .set(
        valuesOf(threats, "ipAddress", "registrar", "nameServer", "whois", ...assessedColumns, "changedAt"),
      )
      .where(hasValue(threats.seq)),
  );

  return (id, { siteState: foundState = null, evidence, ...facts }, changes) => {
    const threat = find.get({ id });
    if (threat === undefined) return undefined;
    const now = clock.now();
    const { severity, reasons } = severityOf(threat, {
      facts: evidence,
      cloneSeenDays: threat.cloneSeenAt === null ? undefined : Math.floor((now - threat.cloneSeenAt) / dayMs),
    });
    const verified = isVerified({
      type: threat.type,
      cloneSeen: threat.cloneSeenAt !== null,
      facts: evidence,
    });
    const siteState = siteStateAfter(threat, { found: foundState, exists: evidence.exists, now });
    const { ipAddress, registrar, nameServer = null, whois } = facts;
    const found = { ipAddress, registrar, nameServer, whois, severity, severityReasons: reasons, verified };
    // A lookup that found the same as the last one is no change to those who poll for changes.
    const isChanged = changes.length > 0 || siteState !== threat.siteState || differs(threat, found);
    const changedAt = isChanged ? Math.max(now, threat.changedAt + 1) : threat.changedAt;
    const assessed = { severity, verified, siteState };
    set.run({ seq: threat.seq, ...found, siteState, ...assess(threat, assessed, changes), changedAt });
    return { severity, previousSeverity: threat.severity, siteState, previousSiteState: threat.siteState };
  };
}

type Shown = Pick<
  typeof threats.$inferSelect,
  "ipAddress" | "registrar" | "nameServer" | "severity" | "verified" | "severityReasons"
>;

/** Compares what readers of lists and exports see. Reasons count by their codes, because their parameters contain ages. */
function differs(before: Shown, after: Shown): boolean {
  const codes = ({ severityReasons }: Shown) => severityReasons.map(({ code }) => code).join();
  return (
    before.ipAddress !== after.ipAddress ||
    before.registrar !== after.registrar ||
    before.nameServer !== after.nameServer ||
    before.severity !== after.severity ||
    before.verified !== after.verified ||
    codes(before) !== codes(after)
  );
}

import type { Needs } from "../../platform/database/needs.ts";
import { hasValue, statement, valuesOf } from "../../platform/database/statement.ts";
import type { Match } from "./severity/similarity-reasons.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import type { PageImitation } from "../../platform/vocabulary/page-signals.ts";
import type { Severity } from "../../platform/vocabulary/threats.ts";
import { assessedColumns, type Assess } from "./assessment.ts";
import { stateOfShownSite } from "./case/site-state.ts";
import { rises } from "./severity/escalation.ts";
import { severityOf, type SeverityScore } from "./severity/severity.ts";
import { changedNow } from "./store/fields.ts";
import { inspectedScore, nameReasons } from "./severity/similarity-reasons.ts";
import { threats } from "./store/tables.ts";

type KnownThreat = typeof threats.$inferSelect;

/**
 * Notes what a sighting of a known threat shows, beyond the name on record. Must run within a transaction. Returns the
 * severity after that.
 */
type EvidenceNoter = (
  known: KnownThreat,
  sighting: { match: Match; page?: Pick<PageImitation, "score"> | undefined },
  seenAt: Instant,
) => Severity;

export function createEvidenceNoter({
  assess,
  clock,
  database,
}: Needs<"clock" | "database"> & { assess: Assess }): EvidenceNoter {
  const set = statement(database, (query) =>
    query
      .update(threats)
      .set({ ...valuesOf(threats, "cloneSeenAt", "reasons", ...assessedColumns), ...changedNow })
      .where(hasValue(threats.seq)),
  );

  /** Saves what was noted, with the severity that it leads to. */
  function save(
    known: KnownThreat,
    noted: Partial<Pick<KnownThreat, "cloneSeenAt" | "reasons" | "siteState" | "verified">>,
    { severity, reasons }: SeverityScore,
  ): Severity {
    const severityReasons = distinct([...reasons, ...known.severityReasons]);
    const noticed = { ...known, ...noted, severity, severityReasons };
    set.run({ ...noticed, ...assess(known, noticed), changedAt: clock.now() });
    return severity;
  }

  /** A copy that a visitor was shown outweighs all other facts. */
  function noteCopy(known: KnownThreat, protectedDomain: string, seenAt: Instant): Severity {
    if (known.cloneSeenAt !== null && known.cloneSeenAt >= seenAt) return known.severity;
    const siteState = stateOfShownSite(known.siteState);
    const scored = severityOf({ ...known, protectedDomain }, { cloneSeenDays: 0 });
    return save(known, { cloneSeenAt: seenAt, verified: true, siteState }, scored);
  }

  function notePage(
    known: KnownThreat,
    protectedDomain: string,
    { score }: Pick<PageImitation, "score">,
  ): Severity {
    const siteState = stateOfShownSite(known.siteState);
    const isNews = !known.severityReasons.some(({ code }) => code === "page_imitates");
    if (!isNews && known.verified && siteState === known.siteState) return known.severity;
    const page = { ...plainPage, imitation: { score, imitates: true } };
    const facts = { exists: "yes" as const, page };
    const scored = severityOf({ ...known, protectedDomain }, { facts });
    return save(known, { verified: true, siteState }, neverLower(known, scored));
  }

  /** The name of a threat that an inspection found can be a look-alike, too. */
  function noteName(known: KnownThreat, match: Match): Severity {
    const isNoted = known.reasons.some(({ code }) => code === "name_resembles");
    if (isNoted || inspectedScore(known.reasons) === undefined) return known.severity;
    const reasons = [...known.reasons, ...nameReasons(match)];
    const scored = severityOf({ ...match, domain: known.domain });
    return save(known, { reasons }, neverLower(known, scored));
  }

  return (known, { match, page }, seenAt) => {
    if (page !== undefined) return notePage(known, match.protectedDomain, page);
    if (match.type === "cloned_site") return noteCopy(known, match.protectedDomain, seenAt);
    return known.type === "cloned_site" ? noteName(known, match) : known.severity;
  };
}

/** Facts about a page of which only the comparison is known. */
const plainPage = {
  asksForPassword: false,
  asksForCard: false,
  namesBrand: false,
  redirectsToProtected: false,
};

/** Returns a score that is not below the present severity: only the next check weighs all facts together. */
function neverLower({ severity: before }: KnownThreat, { severity, reasons }: SeverityScore): SeverityScore {
  return { severity: rises(before, severity) ? severity : before, reasons };
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Map(values.map((one) => [JSON.stringify(one), one])).values()];
}

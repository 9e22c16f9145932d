import { and, count, desc, eq, sql, sum } from "drizzle-orm";
import { protectedDomains } from "../../../threats/domains/tables.ts";
import { resolverVerdicts } from "../../../platform/network/dns/resolver-check.ts";
import { threatCounts } from "../../../threats/threats/store/tables.ts";
import { scanFailures } from "../../../platform/vocabulary/scans.ts";
import { createIncreasing, type Collector } from "../metrics/metrics.ts";
import type { Monitored } from "./services.ts";

/** Maximum number of protected domains with a series of their own. */
const domainsMax = 100;

/** Collects threats on record, by protected domain too. */
export function threatCollector({
  database: { query },
  threats,
}: Monitored<"database" | "threats">): Collector {
  const total = sum(threatCounts.total);
  return () => {
    const byDomain = query
      .select({ domain: protectedDomains.domain, total })
      .from(threatCounts)
      .innerJoin(protectedDomains, eq(protectedDomains.seq, threatCounts.protectedDomainSeq))
      .where(and(eq(threatCounts.status, "active"), eq(protectedDomains.enabled, true)))
      .groupBy(protectedDomains.seq)
      .orderBy(desc(total))
      .limit(domainsMax)
      .all();
    const domains = query
      .select({ n: count() })
      .from(protectedDomains)
      .where(eq(protectedDomains.enabled, true))
      .get();
    // Also right when all events were deleted by retention.
    const events = query.get<[number]>(sql`select seq from sqlite_sequence where name = 'events'`);
    return {
      threats: threats.totals().map(({ status, severity, total: n }) => [{ status, severity }, n]),
      threatsByDomain: byDomain.map(({ domain, total: n }) => [{ protected_domain: domain }, Number(n ?? 0)]),
      protectedDomains: domains?.n ?? 0,
      events: events?.[0] ?? 0,
    };
  };
}

/** Collects scans and the state of the resolvers. */
export function scanCollector({ scans }: Monitored<"scans">): Collector {
  const increasing = createIncreasing();
  return () => {
    const { byFailure, byStatus, completedAt } = scans.totals();
    const last = scans.latestOutcome();
    const checks = scans.resolverHealth.latest()?.checks;
    const failedBy = (reason: string) => byFailure.find(({ failure }) => failure === reason)?.total ?? 0;
    return {
      scans: byStatus.map(({ status, total }) => [{ status }, total]),
      scanFailures: scanFailures.map((reason) => [{ reason }, increasing(reason, failedBy(reason))]),
      scanLastCompleted: completedAt === null ? null : completedAt / 1000,
      scanLastSuccess: last && (last.status === "completed" ? 1 : 0),
      scanLastDuration: last?.completedAt ? (last.completedAt - last.startedAt) / 1000 : null,
      scanLastNames: last?.candidates,
      resolvers:
        checks &&
        resolverVerdicts.map((verdict) => [
          { verdict },
          checks.filter((check) => check.verdict === verdict).length,
        ]),
      resolverOk: checks?.map(({ server: { address, port }, verdict }) => [
        { resolver: `${address}:${port}` },
        verdict === "honest" ? 1 : 0,
      ]),
    };
  };
}

/** Collects lookups for threats. */
export function lookupCollector({
  clock,
  enrichment: { dueCounts, meter, running },
}: Monitored<"clock" | "enrichment">): Collector {
  return () => {
    const totals = meter.totals();
    return {
      lookups: totals.flatMap(({ lookup, ok, failed }) => [
        [{ lookup, result: "ok" }, ok] as const,
        [{ lookup, result: "failed" }, failed] as const,
      ]),
      lookupDurations: totals.map(({ lookup, durations }) => [{ lookup }, durations]),
      registrationFailures: meter.registrationFailures().map(({ tld, total }) => [{ tld }, total]),
      lookupQueue: dueCounts(clock.now()).map(({ lookup, due }) => [{ lookup }, due]),
      lookupsRunning: running(),
    };
  };
}

import { and, isNotNull, isNull } from "drizzle-orm";
import { systemConditions } from "../../conditions/tables.ts";
import { systemEventTypes } from "../../../platform/vocabulary/events.ts";
import type { Collector } from "../metrics/metrics.ts";
import type { Monitored } from "./services.ts";

/** Collects the version, conditions, certificates, the log and visits to traps. */
export function applianceCollector({
  build,
  certificateEnds,
  database: { query },
  log,
  traps,
}: Monitored<"build" | "certificateEnds" | "database" | "log" | "traps">): Collector {
  return async () => {
    const certificates = await certificateEnds();
    const holding = query
      .selectDistinct({ type: systemConditions.type })
      .from(systemConditions)
      // Others may still pass, or are news instead of conditions.
      .where(and(isNotNull(systemConditions.sentAt), isNull(systemConditions.version)))
      .all();
    const { version, commit, bunVersion: bun } = build;
    return {
      build: [[{ version, commit, bun }, 1]],
      conditions: systemEventTypes
        .filter((type) => type !== "system.log_list_updated")
        .map((type) => [{ type }, holding.some((one) => one.type === type) ? 1 : 0]),
      certificateExpiry: certificates.map(({ use, endsAt }) => [{ use }, endsAt / 1000]),
      logEvents: log.counts().map(({ event, level, total }) => [{ event, level }, total]),
      trapVisits: Object.entries(traps.totals()).map(([outcome, total]) => [{ outcome }, total]),
    };
  };
}

/** Collects the state of the HTTP server. */
export function serverCollector({
  bodies,
  pending,
  readiness,
}: {
  bodies: { readonly heldBytes: number };
  /** Returns the number of requests in flight, including the one for metrics. */
  pending: () => number;
  readiness: () => { ready: boolean; checks: { database: string } };
}): Collector {
  return () => {
    const { ready, checks } = readiness();
    return {
      ready: ready ? 1 : 0,
      databaseOk: checks.database === "ok" ? 1 : 0,
      httpPending: pending(),
      httpBodyBytes: bodies.heldBytes,
    };
  };
}

/** Collects reloads of the configuration file. */
export function reloadCollector({ lastReload }: Monitored<"lastReload">): Collector {
  return () => {
    const last = lastReload();
    return {
      reloadLastSuccess: last && (last.result === "failed" ? 0 : 1),
      reloadLastTime: last && last.endedAt / 1000,
      restartKeys: last?.restart.length ?? 0,
    };
  };
}

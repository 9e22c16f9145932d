import { and, count, gt, sum } from "drizzle-orm";
import { failedSignIns } from "../../../access/audit/tables.ts";
import { idleMsMax, sessionMsMax } from "../../../access/console/sessions.ts";
import { consoleSessions } from "../../../access/console/tables.ts";
import { createIncreasing, type Collector } from "../metrics/metrics.ts";
import type { Monitored } from "./services.ts";

/** Maximum number of API keys with a series of their own. */
const keysMax = 50;

/** Collects sessions, failed sign-ins and API keys. */
export function accessCollector({
  clock,
  database: { query },
  keys,
}: Monitored<"clock" | "database" | "keys">): Collector {
  const increasing = createIncreasing();
  return () => {
    const now = clock.now();
    const active = and(
      gt(consoleSessions.lastSeenAt, now - idleMsMax),
      gt(consoleSessions.createdAt, now - sessionMsMax),
    );
    const sessions = query.select({ n: count() }).from(consoleSessions).where(active).get()?.n;
    const failed = query
      .select({ n: sum(failedSignIns.attempts) })
      .from(failedSignIns)
      .get()?.n;
    const usable = keys
      .list()
      .filter(({ revokedAt, expiresAt }) => revokedAt === null && (expiresAt === null || expiresAt > now));
    const expiring = usable
      .flatMap(({ id, name, expiresAt }) => (expiresAt === null ? [] : [{ id, name, expiresAt }]))
      .sort((a, b) => a.expiresAt - b.expiresAt)
      .slice(0, keysMax);
    return {
      sessions: sessions ?? 0,
      failedSignIns: increasing("failed", Number(failed ?? 0)),
      apiKeys: usable.length,
      // Names of keys need not be unique.
      apiKeyExpiry: expiring.map(({ id, name, expiresAt }) => [{ key: `${name} (${id})` }, expiresAt / 1000]),
    };
  };
}

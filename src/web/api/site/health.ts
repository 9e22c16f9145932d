import type { Database } from "../../../platform/database/database.ts";
import { explain, isBusy } from "../../../platform/database/files/errors.ts";
import type { DatabaseHealth } from "../../../platform/database/health/health.ts";
import { withoutWaiting } from "../../../platform/database/pragmas.ts";

/** Result of /readyz. Each check is "ok" or a description of the problem. */
export interface Readiness {
  ready: boolean;
  checks: { database: string; disk: string; schedulers: string };
  /** Facts that the checks could not take into account. They do not change whether the appliance is ready. */
  unknown: string[];
}

/** Cheap enough for anonymous polling every second: it writes nothing and waits for no lock. */
export function checkReadiness({
  database,
  databaseHealth,
  schedulersRunning,
}: {
  database: Database;
  databaseHealth: Pick<DatabaseHealth, "status">;
  schedulersRunning: () => boolean;
}): Readiness {
  const { problem, disk, quickCheck } = databaseHealth.status();
  const checks = {
    database: problem ?? describeLock(database) ?? checkWritable(database),
    disk: disk === undefined || disk.level !== "full" ? "ok" : `nearly full (${disk.text})`,
    schedulers: schedulersRunning() ? "ok" : "not running",
  };
  const unknown: string[] = [];
  if (database.isShared && quickCheck === null)
    unknown.push("whether the database file is intact: it was not checked yet");
  if (database.isShared && disk === undefined) unknown.push("the free space of the disk: it cannot be read");
  return { ready: Object.values(checks).every((text) => text === "ok"), checks, unknown };
}

/** An open database has been migrated, so only write access remains to be checked. */
function checkWritable({ sqlite }: Database): string {
  try {
    withoutWaiting(sqlite, () => {
      sqlite.run("BEGIN IMMEDIATE");
      sqlite.run("ROLLBACK");
    });
    return "ok";
  } catch (error) {
    // Another writer holds the lock, so the database is writable.
    return isBusy(error) ? "ok" : explain(error);
  }
}

/** Changes fail while another process holds the write lock for long. */
function describeLock(database: Database): string | undefined {
  const incident = database.lockIncident();
  if (incident === undefined) return undefined;
  const { holder, heldMs } = incident;
  const who = holder === undefined ? "another process" : `${holder.command} (pid ${holder.pid})`;
  return `${who} has held the write lock for ${Math.round(heldMs / 1000)} s; changes fail until it is released`;
}

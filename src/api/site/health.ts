import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { explain, type Database } from "../../database/database.ts";
import { isBusy } from "../../database/sqlite-error.ts";
import { messageOf } from "../../lib/errors.ts";

/** Result of /readyz. Each check is "ok" or a description of the problem. */
export interface Readiness {
  ready: boolean;
  checks: { database: string; disk: string; schedulers: string };
}

// A few batches of events and deliveries would use up less.
const freeBytesMin = 16 << 20;

/** Cheap enough for anonymous polling every second: it writes nothing and waits for no lock. */
export function checkReadiness({
  database,
  schedulersRunning,
}: {
  database: Database;
  schedulersRunning: () => boolean;
}): Readiness {
  const checks = {
    database: checkWritable(database),
    disk: checkDisk(database.path),
    schedulers: schedulersRunning() ? "ok" : "not running",
  };
  return { ready: Object.values(checks).every((text) => text === "ok"), checks };
}

/** An open database has been migrated, so only write access remains to be checked. */
function checkWritable({ sqlite }: Database): string {
  const busyTimeoutMs = sqlite.query<{ timeout: number }, []>("PRAGMA busy_timeout").get()!.timeout;
  sqlite.run("PRAGMA busy_timeout = 0");
  try {
    sqlite.run("BEGIN IMMEDIATE");
    sqlite.run("ROLLBACK");
    return "ok";
  } catch (error) {
    // Another writer holds the lock, so the database is writable.
    return isBusy(error) ? "ok" : explain(error);
  } finally {
    sqlite.run(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  }
}

function checkDisk(path: string): string {
  if (path === ":memory:") return "ok";
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize >= freeBytesMin ? "ok" : "nearly full";
  } catch (error) {
    return messageOf(error);
  }
}

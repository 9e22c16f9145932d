import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { explain, type Database } from "../../database/database.ts";
import { messageOf } from "../../lib/errors.ts";
import { isBusy } from "../../database/sqlite-error.ts";

/** What /readyz looks at. Each is "ok" or says in words what is wrong. */
export interface Readiness {
  ready: boolean;
  checks: { database: string; disk: string; schedulers: string };
}

// Less would be used up by a few batches of events and deliveries.
const freeBytesMin = 16 << 20;

/** Cheap enough to be asked every second by anybody: nothing is written, and no lock is waited for. */
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

/** Migrations are done once a database is open at all; what may go wrong later is the right to write. */
function checkWritable({ sqlite }: Database): string {
  const busyTimeoutMs = sqlite.query<{ timeout: number }, []>("PRAGMA busy_timeout").get()!.timeout;
  sqlite.run("PRAGMA busy_timeout = 0");
  try {
    sqlite.run("BEGIN IMMEDIATE");
    sqlite.run("ROLLBACK");
    return "ok";
  } catch (error) {
    // Somebody else is writing, so one can.
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

import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { type App, openApp } from "../../app/app.ts";
import type { Config } from "../../platform/config/config.ts";
import type { LoadResult } from "../../platform/config/load.ts";
import { requireOwnFolder } from "../../platform/database/files/other-users.ts";
import { tryLock } from "../../platform/database/lock.ts";
import { createUpgrade } from "../../platform/database/upgrade/upgrade.ts";
import { systemClock } from "../../platform/lib/clock.ts";
import { StartError } from "../../platform/lib/errors.ts";
import type { Log } from "../../platform/lib/log.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { loadConfiguration } from "./configuration.ts";
import { fillRandom } from "./fill-random.ts";
import { openLog } from "./open-log.ts";

/** Opens the appliance for one command and always closes it. A server may run at the same time. */
export async function withAppliance<T>(
  { terminal, options }: { terminal: Terminal; options: { config: string | undefined } },
  work: (appliance: App, config: Config) => Promise<T> | T,
): Promise<T> {
  const config = await loadConfiguration(options.config, terminal.env);
  rejectLostDatabase(config.storage.path);
  const appliance = open(config, terminal, { level: "warn" });
  try {
    return await work(appliance, config);
  } finally {
    await appliance.archive.stop();
    appliance.close();
  }
}

/** Throws rather than creating a new database beside a server whose database file was removed. */
function rejectLostDatabase(path: string): void {
  if (path === ":memory:" || existsSync(path)) return;
  // A server of another user could not open the database that root creates.
  requireOwnFolder(path);
  const lock = existsSync(dirname(path)) ? tryLock(path, "lock") : undefined;
  lock?.release();
  if (lock !== undefined || !existsSync(dirname(path))) return;
  throw new StartError(
    `database ${path}: a server is running, but its database file is gone; stop the server first`,
  );
}

interface OpenOptions {
  /** Minimum level of the log; default: the configured one. */
  level?: "warn";
  /** Database to start with, for `storage.path` ":memory:". */
  image?: Uint8Array;
  /** Loads the configuration file again. */
  loadConfig?: () => LoadResult;
  log?: Log;
  /** Whether the caller holds the lock for serving. */
  isLocked?: boolean;
}

/** Opens the appliance. Copies and migrates a database of an earlier version. @throws StartError */
export function open(
  config: Config,
  terminal: Terminal,
  { level, image, loadConfig, isLocked = false, log = openLog(config, terminal, level) }: OpenOptions = {},
): App {
  const upgrade = createUpgrade({ path: config.storage.path, isLocked, clock: systemClock, log });
  try {
    const app = openApp({
      config,
      startWorker: terminal.threads.startWorker,
      image,
      beforeMigration: upgrade.before,
      clock: systemClock,
      loadConfig,
      log,
      fillRandom,
    });
    upgrade.finished();
    return app;
  } finally {
    upgrade.release();
  }
}

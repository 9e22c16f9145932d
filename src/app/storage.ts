import { openDatabase } from "../platform/database/database.ts";
import { hasUnreadTransactions } from "../platform/database/files/log-damage.ts";
import { createDatabaseHealth } from "../platform/database/health/health.ts";
import { recordVersion } from "../platform/database/versions.ts";
import { buildInfo } from "../platform/lib/build-info.ts";
import { createStoreGrowth } from "../operations/stores/growth.ts";
import type { Environment } from "./environment.ts";

/**
 * Opens the database and what watches it. Creates the file if it does not exist, and migrates it.
 * @throws StartError
 */
export function openStorage(environment: Environment) {
  const { clock, config, fillRandom, log, loadConfig } = environment;
  const { path } = config.storage;
  // Only in a server, before it opens the database: a command may run beside one that has the log open.
  const isLogDamaged = loadConfig !== undefined && hasUnreadTransactions(path);
  const database = openDatabase(path, environment);
  const databaseHealth = createDatabaseHealth({ database, clock, log, fillRandom }, isLogDamaged);
  const storeGrowth = createStoreGrowth({ clock, database, log });
  return {
    database,
    databaseHealth,
    storeGrowth,
    /** Records that this version migrated the database, unless it is recorded. Call it in the first transaction. */
    recordVersion: () => recordVersion(database.sqlite, { version: buildInfo.version, at: clock.now() }),
  };
}

import { openDatabase, type Database } from "../platform/database/database.ts";
import { hasUnreadTransactions } from "../platform/database/files/log-damage.ts";
import { createDatabaseHealth, type DatabaseHealth } from "../platform/database/health/health.ts";
import { recordVersion } from "../platform/database/versions.ts";
import { buildInfo } from "../platform/lib/build-info.ts";
import { createStoreGrowth, type StoreGrowth } from "../operations/stores/growth.ts";
import type { Environment } from "./environment.ts";

/** The database, and what watches it. */
export interface Storage {
  database: Database;
  databaseHealth: DatabaseHealth;
  storeGrowth: StoreGrowth;
  /** Records that this version migrated the database, unless it is recorded. Call it in the first transaction. */
  recordVersion(): void;
}

/** Opens the database, creates it if it does not exist, and migrates it. @throws StartError */
export function openStorage(environment: Environment): Storage {
  const { clock, config, fillRandom, log, loadConfig } = environment;
  const { path } = config.storage;
  // Only in a server, before it opens the database: a command may run beside one that has the log open.
  const isLogDamaged = loadConfig !== undefined && hasUnreadTransactions(path);
  const database = openDatabase(path, environment);
  const databaseHealth = createDatabaseHealth({ database, clock, log, fillRandom, isLogDamaged });
  const storeGrowth = createStoreGrowth({ clock, database, log });
  return {
    database,
    databaseHealth,
    storeGrowth,
    recordVersion: () => recordVersion(database.sqlite, { version: buildInfo.version, at: clock.now() }),
  };
}

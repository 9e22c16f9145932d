import { dirname, join } from "node:path";
import { archiveFolder } from "../archive/files/folder.ts";
import type { Database } from "../database/database.ts";
import type { StoreFolders } from "../database/growth/measure.ts";
import { createStoreGrowth, type StoreGrowth } from "../database/growth/store-growth.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";

/** Opens the daily measurement of the database and of the folders that belong to it. */
export function openStoreGrowth(options: { clock: Clock; database: Database; log: Log }): StoreGrowth {
  return createStoreGrowth({ ...options, folders: storeFoldersOf(options.database.path) });
}

/** Returns the folders that belong to the database at `path`. */
export function storeFoldersOf(path: string): StoreFolders {
  return { screenshots: join(dirname(path), "screenshots"), archive: archiveFolder(path) };
}

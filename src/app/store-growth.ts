import { dirname, join } from "node:path";
import { archiveFolder } from "../engines/archive/files/folder.ts";
import type { StoreFolders } from "../platform/database/growth/measure.ts";
import { createStoreGrowth, type StoreGrowth } from "../platform/database/growth/store-growth.ts";
import type { Needs } from "../platform/database/needs.ts";

/** Opens the daily measurement of the database and of the folders that belong to it. */
export function openStoreGrowth(options: Needs<"clock" | "database" | "log">): StoreGrowth {
  return createStoreGrowth({ ...options, folders: storeFoldersOf(options.database.path) });
}

/** Returns the folders that belong to the database at `path`. */
export function storeFoldersOf(path: string): StoreFolders {
  return { screenshots: join(dirname(path), "screenshots"), archive: archiveFolder(path) };
}

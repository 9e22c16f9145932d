import type { Database as Sqlite } from "bun:sqlite";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { readPragma } from "../pragmas.ts";
import { listUpgradeCopies } from "../versions/copies.ts";
import { sizesOfStores, type StoreSize, type TableSize } from "./stores.ts";

/**
 * Returns one JSON value: bytes by table, with its indexes. Reads every page of the file, which takes about a second per
 * GiB from a warm cache (https://www.sqlite.org/dbstat.html).
 */
export const tableSizesStatement = `SELECT json_group_array(json_object('table', name, 'bytes', bytes)) FROM (
  SELECT coalesce(m.tbl_name, s.name) AS name, sum(s.pgsize) AS bytes
  FROM dbstat AS s LEFT JOIN sqlite_master AS m ON m.name = s.name
  WHERE s.aggregate = TRUE GROUP BY 1)`;

/** Parses the result of `tableSizesStatement`. */
export const readTableSizes = (value: unknown): TableSize[] => JSON.parse(String(value)) as TableSize[];

/** Returns the bytes of the pages that contain nothing. */
export function freePageBytes(sqlite: Sqlite): number {
  return readPragma(sqlite, "freelist_count") * readPragma(sqlite, "page_size");
}

/** Folders of stores outside of the database file. */
export interface StoreFolders {
  screenshots: string;
  archive: string;
}

/** Returns the size of each store of the database file and of the folders next to it. */
export async function measureStores(
  path: string,
  { tables, freeBytes, folders }: { tables: readonly TableSize[]; freeBytes: number; folders: StoreFolders },
): Promise<StoreSize[]> {
  const copies = listUpgradeCopies(path).reduce((sum, { bytes }) => sum + bytes, 0);
  const [screenshots, archive] = await Promise.all([
    folderBytes(folders.screenshots),
    folderBytes(folders.archive),
  ]);
  return [
    ...sizesOfStores(tables, freeBytes),
    { store: "screenshots", bytes: screenshots },
    { store: "archive", bytes: archive },
    { store: "copies", bytes: copies },
  ];
}

/** Returns the size of all files below a folder; 0 if it does not exist. Files that disappear meanwhile do not count. */
async function folderBytes(folder: string): Promise<number> {
  let total = 0;
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) total += await folderBytes(path);
    else if (entry.isFile()) total += (await stat(path).catch(() => undefined))?.size ?? 0;
  }
  return total;
}

import { Database } from "bun:sqlite";
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";

/** Type of an interior page of a table (https://www.sqlite.org/fileformat2.html §1.6). */
const interiorPage = 5;

/**
 * Overwrites a page of the table of threats, except its root, in a database that nobody has open.
 * @throws if the table has one page only
 */
export function damageThreats(path: string): void {
  const sqlite = new Database(path);
  const { page_size: size } = sqlite.query<{ page_size: number }, []>("PRAGMA page_size").get()!;
  sqlite.run("PRAGMA journal_mode = DELETE");
  const { rootpage: root } = sqlite
    .query<{ rootpage: number }, []>("SELECT rootpage FROM sqlite_master WHERE name = 'threats'")
    .get()!;
  sqlite.close();
  const bytes = readFileSync(path);
  const at = (root - 1) * size;
  if (bytes[at] !== interiorPage)
    throw new Error("there are too few threats to damage a page below the root");
  // The children of the root are leaves: 2-byte pointers to cells from byte 12 on, each cell begins with a page number.
  const leaf = bytes.readUInt32BE(at + bytes.readUInt16BE(at + 12));
  const descriptor = openSync(path, "r+");
  writeSync(descriptor, Buffer.alloc(size, 0xaa), 0, size, (leaf - 1) * size);
  closeSync(descriptor);
}

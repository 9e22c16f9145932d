import { Database } from "bun:sqlite";
import { closeSync, openSync, readSync, writeSync } from "node:fs";

/**
 * Flips one bit of the entry that contains `text` in an index of a database that nobody has open, and of the copies that SQLite
 * has left in unused parts of pages. The pages stay well-formed.
 * @throws if there is no such entry
 */
export function damageIndex(path: string, index: string, text: string): void {
  const sqlite = new Database(path);
  sqlite.run("PRAGMA journal_mode = DELETE");
  const { page_size: size } = sqlite.query<{ page_size: number }, []>("PRAGMA page_size").get()!;
  const pages = sqlite.query("SELECT pageno FROM dbstat WHERE name = ?").values(index).flat().map(Number);
  sqlite.close();
  const descriptor = openSync(path, "r+");
  let found = 0;
  try {
    for (const page of pages) {
      const bytes = Buffer.alloc(size);
      readSync(descriptor, bytes, 0, size, (page - 1) * size);
      for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) {
        bytes[at + text.length - 1]! ^= 1;
        found++;
      }
      writeSync(descriptor, bytes, 0, size, (page - 1) * size);
    }
  } finally {
    closeSync(descriptor);
  }
  if (found === 0) throw new Error(`${text} is not in ${index}`);
}

import { Database } from "bun:sqlite";
import { readFileSync } from "node:fs";

/** Kinds of pages in which bits are flipped, and the file in which they are. */
export const kinds = [
  "header",
  "pointer map",
  "free list",
  "table leaf",
  "table interior",
  "index leaf",
  "index interior",
  "overflow",
] as const;
export type Kind = (typeof kinds)[number];

export const pageBytes = 4_096;
/** Size of the header of the file, on the first page. */
const headerBytes = 100;
/** Each page of the pointer map describes as many pages as entries of 5 bytes fit into it. */
const mappedPages = Math.floor(pageBytes / 5);

/** Adds free pages and a value that needs overflow pages to a database that nobody has open. */
export function addRarePages(path: string): void {
  const database = new Database(path);
  database.run("PRAGMA journal_mode = DELETE");
  database.run(
    "INSERT INTO settings (name, value, updated_at) VALUES ('campaign', hex(randomblob(40000)), 1)",
  );
  database.run("CREATE TABLE filler AS SELECT hex(randomblob(1500)) FROM threats LIMIT 300");
  database.run("DROP TABLE filler");
  database.close();
}

/** Returns the places of the pages of each kind: the offset of their first byte, and their size. */
export function placesOf(path: string): Record<Kind, { at: number; bytes: number }[]> {
  const database = new Database(path, { readonly: true });
  const pageCount = database.query<{ page_count: number }, []>("PRAGMA page_count").get()!.page_count;
  const rows = database
    .query<{ page: number; part: string; isIndex: number }, []>(
      `SELECT s.pageno AS page, s.pagetype AS part, coalesce(m.type = 'index', 0) AS isIndex
       FROM dbstat AS s LEFT JOIN sqlite_master AS m ON m.name = s.name`,
    )
    .all();
  database.close();
  const found = Object.fromEntries(kinds.map((kind) => [kind, [] as number[]])) as Record<Kind, number[]>;
  for (const { page, part, isIndex } of rows) found[kindOf(part, isIndex === 1)].push(page);
  for (let page = 2; page <= pageCount; page += mappedPages + 1) found["pointer map"].push(page);
  found["free list"] = freePages(readFileSync(path));
  const place = (page: number) => ({ at: (page - 1) * pageBytes, bytes: pageBytes });
  const places = Object.fromEntries(kinds.map((kind) => [kind, found[kind].map(place)]));
  return { ...places, header: [{ at: 0, bytes: headerBytes }] } as ReturnType<typeof placesOf>;
}

/** @param part type of the page in `dbstat`, such as `leaf` */
function kindOf(part: string, isIndex: boolean): Kind {
  if (part === "overflow") return "overflow";
  const level = part === "leaf" ? "leaf" : "interior";
  return isIndex ? `index ${level}` : `table ${level}`;
}

/** Returns the trunk pages of the free list (https://www.sqlite.org/fileformat.html §1.5). The others contain nothing. */
function freePages(file: Buffer): number[] {
  const trunks: number[] = [];
  for (let page = file.readUInt32BE(32); page !== 0; page = file.readUInt32BE((page - 1) * pageBytes))
    trunks.push(page);
  return trunks;
}

export interface Reading {
  /** First thing that SQLite's own check of everything finds, or its error; undefined for nothing. */
  damage: string | undefined;
  /** Digest of all rows of all tables, read without an index; undefined if they cannot be read. */
  rows: string | undefined;
  /** Number of threats in the table that are not found by their ID, or by their pair. */
  hidden: number;
}

/** Reads a file in SQLite's own way, with which the product is compared. */
export function readDatabase(path: string): Reading {
  let database: Database | undefined;
  try {
    database = new Database(path);
    const [[first] = []] = database.query("PRAGMA integrity_check(1)").values();
    const damage = first === "ok" ? undefined : String(first);
    return { damage, rows: attempt(digest, database), hidden: attempt(countHidden, database) ?? 0 };
  } catch (error) {
    return { damage: String(error), rows: undefined, hidden: 0 };
  } finally {
    database?.close();
  }
}

function attempt<T>(read: (database: Database) => T, database: Database): T | undefined {
  try {
    return read(database);
  } catch {
    return undefined;
  }
}

function digest(database: Database): string {
  const hasher = new Bun.CryptoHasher("sha256");
  const tables = database
    .query("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .values()
    .flat();
  for (const table of tables) {
    hasher.update(String(table));
    for (const row of database.query(`SELECT * FROM "${String(table)}" NOT INDEXED`).values())
      hasher.update(
        JSON.stringify(row, (_key, value: unknown) => (typeof value === "bigint" ? String(value) : value)),
      );
  }
  return hasher.digest("hex");
}

function countHidden(database: Database): number {
  const search = (index: string, where: string) =>
    `NOT EXISTS (SELECT 1 FROM threats INDEXED BY ${index} WHERE ${where})`;
  return Number(
    database
      .query(
        `SELECT count(*) FROM (SELECT id AS i, protected_domain_seq AS p, domain AS d FROM threats NOT INDEXED)
         WHERE ${search("threats_id_unique", "id = i")} OR ${search("threats_pair", "protected_domain_seq = p AND domain = d")}`,
      )
      .values()[0]![0],
  );
}

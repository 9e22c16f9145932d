import { Database as Sqlite, type SQLQueryBindings } from "bun:sqlite";
import { dayMs, toIsoTime, toPlainTime, type Instant } from "../../platform/lib/clock.ts";

/** Time at which the history of an image ends, and the seed of its identifiers. */
export interface Origin {
  seed: number;
  start: Instant;
}

type Cell = SQLQueryBindings;

const hourMs = 3_600_000;
const yearMs = 365 * dayMs;
/** Columns whose instants are the start of a day or an hour. */
const roundedMs: Partial<Record<string, number>> = { day: dayMs, hour: hourMs };
const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
/** An identifier, a time as in JSON, one as in messages, a date, an instant, or a day of the week. */
const moving = new RegExp(
  [
    "[a-z]{3}_[0-7][0-9a-hjkmnp-tv-z]{25}\\b",
    "\\b\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z",
    "\\b\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC",
    "\\b\\d{4}-\\d\\d-\\d\\d\\b",
    "\\b1\\d{12}\\b",
    `\\b(?:${weekdays.join("|")})\\b`,
  ].join("|"),
  "g",
);

/**
 * Lets the history of a database end at another time, with other identifiers.
 *
 * The last day, and what lies up to a month ahead, moves by exactly the difference, so that the latest threats keep their
 * age. Everything else moves by whole days, and keeps its time of day: working hours, nightly scans, numbers by day. The
 * order of the past stays the same.
 */
export function moveImage(image: Uint8Array, { from, to }: { from: Origin; to: Origin }): Uint8Array {
  const exactMs = to.start - from.start;
  const wholeDays = Math.floor(exactMs / dayMs);
  const isRecent = (at: Instant) => at >= from.start - dayMs && at < from.start + 30 * dayMs;
  const move = (at: Instant) => at + (isRecent(at) ? exactMs : wholeDays * dayMs);
  const moveId = createIdMover(move, maskOf(from) ^ maskOf(to));

  function moveMatch(found: string): string {
    if (found.includes("_")) return moveId(found);
    if (found.endsWith("Z")) return toIsoTime(move(Date.parse(found)));
    if (found.endsWith("UTC")) return toPlainTime(move(Date.parse(found)));
    if (found.endsWith("day")) return weekdays.at((weekdays.indexOf(found) + wholeDays) % 7)!;
    if (found.includes("-")) return toIsoTime(Date.parse(found) + wholeDays * dayMs).slice(0, 10);
    return String(move(Number(found)));
  }

  const moveText = (text: string) => text.replaceAll(moving, moveMatch);

  function moveCell(cell: Cell, column: string): Cell {
    if (typeof cell === "string") return moveText(cell);
    if (cell instanceof Uint8Array) return moveBytes(cell);
    if (typeof cell !== "number" || Math.abs(cell - from.start) > yearMs) return cell;
    const unitMs = roundedMs[column] ?? 1;
    return Math.floor(move(cell) / unitMs) * unitMs;
  }

  function moveBytes(bytes: Uint8Array): Uint8Array {
    if (!isZstd(bytes)) return bytes;
    return Bun.zstdCompressSync(moveText(Bun.zstdDecompressSync(bytes).toString()));
  }

  using sqlite = Sqlite.deserialize(image);
  sqlite.transaction(() => {
    // Triggers record changes of a running appliance.
    const triggers = definitions(sqlite, "trigger");
    for (const { name } of triggers) sqlite.run(`DROP TRIGGER "${name}"`);
    for (const { name } of definitions(sqlite, "table")) rewrite(sqlite, name, moveCell);
    for (const { sql } of triggers) sqlite.run(sql);
  })();
  return sqlite.serialize();
}

function definitions(sqlite: Sqlite, type: "table" | "trigger") {
  const own = `type = ? AND name NOT LIKE 'sqlite~_%' ESCAPE '~' AND name <> '__drizzle_migrations'`;
  return sqlite
    .query<{ name: string; sql: string }, [string]>(`SELECT name, sql FROM sqlite_schema WHERE ${own}`)
    .all(type);
}

function rewrite(sqlite: Sqlite, table: string, moveCell: (cell: Cell, column: string) => Cell): void {
  const select = sqlite.query(`SELECT * FROM "${table}"`);
  const rows = select.values() as Cell[][];
  const names = select.columnNames;
  const moved = rows.map((row) => row.map((cell, index) => moveCell(cell, names[index]!)));
  if (!moved.some((row, index) => row.some((cell, column) => cell !== rows[index]![column]))) return;
  sqlite.run(`DELETE FROM "${table}"`);
  const insert = sqlite.query(`INSERT INTO "${table}" VALUES (${names.map(() => "?").join()})`);
  for (const row of moved) insert.run(...row);
}

/** First bytes of a Zstandard frame (RFC 8878, section 3.1.1). */
function isZstd(bytes: Uint8Array): boolean {
  return bytes.toHex().startsWith("28b52ffd");
}

const digits = "0123456789abcdefghjkmnpqrstvwxyz";
/** The first 10 of the 26 digits of a UUIDv7 are its time. */
const timeDigits = 10;
/**
 * Random digits that rarely decide the order of identifiers: two of the same time differ in earlier digits or, if one was
 * counted up from the other, in later digits.
 */
const replacedDigits = [14, 15, 16, 17];

/** @param mask 20 bits with which the replaced digits are combined */
function createIdMover(move: (at: Instant) => Instant, mask: number): (id: string) => string {
  return (id) => {
    const prefix = id.slice(0, 4);
    const uuid = Array.from(id.slice(4), (digit) => digits.indexOf(digit));
    let at = move(uuid.slice(0, timeDigits).reduce((sum, digit) => sum * 32 + digit, 0));
    for (let index = timeDigits - 1; index >= 0; index -= 1) {
      uuid[index] = at % 32;
      at = Math.floor(at / 32);
    }
    for (const [place, index] of replacedDigits.entries()) uuid[index]! ^= (mask >> (5 * place)) & 31;
    return prefix + uuid.map((digit) => digits[digit]).join("");
  };
}

/** Returns 20 bits, different ones for the seeds below a million. */
function maskOf({ seed }: Origin): number {
  return Math.imul(seed ^ (seed >>> 20), 0x9e3779b1) & 0xfffff;
}

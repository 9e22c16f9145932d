import { describe, expect, test } from "bun:test";
import { Database as Sqlite } from "bun:sqlite";
import { Glob } from "bun";
import { readFileSync } from "node:fs";
import { dayMs } from "../../src/platform/lib/clock.ts";
import { images, readImage } from "../../src/sandbox/images.ts";
import { moveImage } from "../../src/sandbox/world/move-image.ts";
import { defaultSeed, defaultStart } from "../../src/sandbox/world/samples.ts";

const hourMs = 3_600_000;
const names = Object.keys(images) as (keyof typeof images)[];
const identifier = /\b[a-z]{3}_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g;
const isoTime = /\d{4}-\d\d-\d\d(T[\d:.]+Z| \d\d:\d\d UTC|(?!\d))/g;

type Row = Record<string, string | number | Uint8Array | null>;

/** Returns the rows of all tables. */
function tablesOf(image: Uint8Array): Map<string, Row[]> {
  using sqlite = Sqlite.deserialize(image);
  const all = sqlite.query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  return new Map(
    all
      .filter(({ name }) => name !== "__drizzle_migrations")
      .map(({ name }) => [name, sqlite.query<Row, []>(`SELECT * FROM "${name}"`).all()]),
  );
}

/** Returns the texts of a row, also those that are stored compressed. */
function textOf(row: Row): string {
  const texts = Object.values(row).map((cell) => {
    if (!(cell instanceof Uint8Array)) return typeof cell === "string" ? cell : "";
    return cell.toHex().startsWith("28b52ffd") ? Bun.zstdDecompressSync(cell).toString() : "";
  });
  return texts.join("\n");
}

/** Returns each instant of a column, by table and column, as the tables of the code declare them. */
function instantsOf(tables: Map<string, Row[]>): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const file of new Glob("src/**/tables.ts").scanSync(`${import.meta.dir}/../..`)) {
    const source = readFileSync(`${import.meta.dir}/../../${file}`, "utf8");
    for (const [, table = "", columns = ""] of source.matchAll(/sqliteTable\(\s*"(\w+)",([\s\S]*?)\n\}?\);/g))
      for (const [, column = ""] of columns.matchAll(/\binstant\("(\w+)"\)/g)) {
        const values = (tables.get(table) ?? []).map((row) => Number(row[column]));
        const instants = values.filter((value) => value > 0);
        if (instants.length > 0) found.set(`${table}.${column}`, instants);
      }
  }
  return found;
}

const timeOfDay = (at: number) => at % dayMs;
const read = (name: (typeof names)[number], start: number, seed = images[name].seed) =>
  tablesOf(readImage(name, { seed, start }));

describe.each(names)("the image %s,", (name) => {
  const built = read(name, defaultStart);
  const builtInstants = instantsOf(built);

  test("moved by whole days, has every instant and every time in its texts later by these days", () => {
    const moved = read(name, defaultStart + 10 * dayMs);
    expect(builtInstants.size).toBeGreaterThan(name === "empty" ? 5 : 40);
    expect(Object.fromEntries(instantsOf(moved))).toEqual(
      Object.fromEntries(
        builtInstants.entries().map(([key, all]) => [key, all.map((at) => at + 10 * dayMs)]),
      ),
    );
    const times = (tables: Map<string, Row[]>) =>
      [...tables.values()].flat().flatMap((row) => textOf(row).match(isoTime) ?? []);
    expect(times(moved).map((time) => Date.parse(time))).toEqual(
      times(built).map((time) => Date.parse(time) + 10 * dayMs),
    );
  });

  test("moved there and back, is what was built", () => {
    const origin = { seed: images[name].seed, start: defaultStart };
    const other = { seed: 77, start: defaultStart + 123 * dayMs };
    const there = moveImage(readImage(name, origin), { from: origin, to: other });
    expect(tablesOf(there)).not.toEqual(built);
    expect(tablesOf(moveImage(there, { from: other, to: origin }))).toEqual(built);
  });

  test.each([
    "1971-03-04T05:06:07.008Z",
    "2026-01-15T12:00:00.001Z",
    "2031-08-09T23:59:59.999Z",
    "9998-01-01",
  ])(
    "moved to %s, keeps the order of its past, and the latest times keep their distance to its end",
    (text) => {
      const start = Date.parse(text);
      const moved = instantsOf(read(name, start));
      for (const [key, before] of builtInstants) {
        const after = moved.get(key)!;
        const isRounded = /\.(day|hour)$/.test(key);
        const order = before.map((_, index) => index).toSorted((a, b) => before[a]! - before[b]!);
        for (const [place, index] of order.entries()) {
          const previous = order[place - 1];
          if (previous !== undefined && before[index]! < defaultStart)
            expect([key, after[previous]! <= after[index]!]).toEqual([key, true]);
          const age = defaultStart - before[index]!;
          if (age >= 0 && age <= dayMs && !isRounded)
            expect([key, start - after[index]!]).toEqual([key, age]);
          if (age > dayMs) expect([key, timeOfDay(after[index]!)]).toEqual([key, timeOfDay(before[index]!)]);
          if (isRounded) expect(after[index]! % (key.endsWith("day") ? dayMs : hourMs)).toBe(0);
        }
      }
    },
  );

  test.each([0, 2, 3, 77, 5_000, 1_048_575, 4_294_967_295])(
    "with seed %d, has other identifiers in the same order",
    (seed) => {
      const other = read(name, defaultStart, seed);
      const idsOf = (tables: Map<string, Row[]>) =>
        [...tables.values()].flat().flatMap((row) => textOf(row).match(identifier) ?? []);
      const [before, after] = [idsOf(built), idsOf(other)];
      const pairs = new Map(before.map((id, index) => [id, after[index]!]));
      expect(new Set(pairs.values()).size).toBe(pairs.size);
      expect(after).toEqual(before.map((id) => pairs.get(id)!));
      expect([...pairs].filter(([id, replaced]) => id === replaced)).toEqual([]);
      expect([...pairs.keys()].toSorted().map((id) => pairs.get(id)!)).toEqual(
        [...pairs.values()].toSorted(),
      );
      expect(other).toEqual(read(name, defaultStart, seed));
    },
  );
});

test("other seeds change nothing but identifiers", () => {
  const anonymous = (seed: number) =>
    [...read("samples", defaultStart, seed).values()]
      .flat()
      .map((row) => textOf(row).replaceAll(identifier, "…"));
  expect(anonymous(9)).toEqual(anonymous(defaultSeed));
});

import { afterEach, expect, test } from "bun:test";
import type { TakedownFigures } from "../../../../src/response/cases/takedowns/statistics.ts";
import { openTakedownWorld } from "../../../support/takedowns.ts";
import { randomFrom, seed } from "../../../support/random.ts";

const worlds: { dispose: () => void }[] = [];
afterEach(() => worlds.splice(0).forEach((world) => world.dispose()));

interface Row {
  registrar: string | null;
  countedFrom: number | null;
  downAt: number | null;
  backAt: number | null;
  closedAt: number | null;
  isActive: boolean;
}

/** The definition, written out. */
function naiveFigures(rows: readonly Row[]): TakedownFigures[] {
  const names = [...new Set(rows.map(({ registrar }) => registrar))];
  return names.map((name) => {
    const own = rows.filter(({ registrar }) => registrar === name);
    const times = own
      .flatMap(({ countedFrom, downAt }) =>
        countedFrom === null || downAt === null ? [] : [downAt - countedFrom],
      )
      .toSorted((a, b) => a - b);
    const half = Math.floor(times.length / 2);
    const medianMs =
      times.length === 0
        ? null
        : times.length % 2 === 1
          ? times[half]!
          : (times[half - 1]! + times[half]!) / 2;
    return {
      name,
      reported: own.length,
      down: times.length,
      medianMs,
      open: own.filter(({ closedAt, downAt, isActive }) => downAt === null && closedAt === null && isActive)
        .length,
      cameBack: own.filter(({ backAt }) => backAt !== null).length,
    };
  });
}

test("the figures of each registrar are those of the definition, on random takedowns", () => {
  const world = openTakedownWorld();
  worlds.push(world);
  const below = randomFrom(seed);
  const { addThreat, database, takedowns, threats } = world;
  const ids = Array.from({ length: 12 }, (_, index) => addThreat(`example-bank${index}.com`));
  threats.changeStatus(ids.slice(0, 4), "resolved", {
    by: { channel: "console", name: null, address: null },
  });
  const maybe = <T>(value: T) => (below(2) === 0 ? null : value);
  const rows: Row[] = [];
  for (let index = 0; index < 300; index++) {
    const threat = below(ids.length + 1);
    const registrar = [null, "A", "B", "C", "D"][below(5)]!;
    const countedFrom = maybe(1_000 + below(50));
    const downAt = maybe(2_000 + below(50));
    const backAt = downAt === null ? null : maybe(3_000);
    const closedAt = downAt === null ? maybe(4_000) : null;
    rows.push({
      registrar,
      countedFrom,
      downAt,
      backAt,
      closedAt,
      isActive: threat >= 4 && threat < ids.length,
    });
    database.sqlite.run(
      `INSERT INTO takedowns (threat_seq, domain, protected_domain, registrar, reported_at, counted_from, down_at, back_at, closed_at)
       VALUES ((SELECT seq FROM threats WHERE id = ?), 'x.example', 'example-bank.com', ?, 1, ?, ?, ?, ?)`,
      [ids[threat] ?? null, registrar, countedFrom, downAt, backAt, closedAt],
    );
  }
  const byName = (a: TakedownFigures, b: TakedownFigures) => String(a.name).localeCompare(String(b.name));
  const { registrars, total } = takedowns.statistics();
  expect(registrars.toSorted(byName), `seed ${seed}`).toEqual(naiveFigures(rows).toSorted(byName));
  const [all] = naiveFigures(rows.map((row) => ({ ...row, registrar: null })));
  expect(total, `seed ${seed}`).toEqual(all!);
});

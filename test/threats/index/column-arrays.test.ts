import { expect, test } from "bun:test";
import { createNameText } from "../../../src/threats/index/columns/name-text.ts";
import { createTimes, setTime, timeAt, withNumber } from "../../../src/threats/index/arrays/numbers.ts";
import {
  addRow,
  createRowSet,
  intersectionOf,
  withRoom,
  writeRows,
  type RowSet,
} from "../../../src/threats/index/arrays/row-set.ts";
import { createSeqRuns } from "../../../src/threats/index/arrays/seq-runs.ts";
import { randomFrom, seed } from "../../support/random.ts";

function rowsOf(set: RowSet, rows: number): number[] {
  const found = new Int32Array(rows);
  return [...found.subarray(0, writeRows(set, 0, rows, found))];
}

test("names are found as in a plain list, whether many match or few, also in a copy to which more are added", () => {
  const random = randomFrom(seed);
  const letters = "abcd.";
  const text = (length: number) => Array.from({ length }, () => letters[random(letters.length)]).join("");
  const names: string[] = [];
  let column = createNameText();
  const add = (count: number) => {
    for (let index = 0; index < count; index += 1) {
      // Most have a part in common, so that it is searched for in another way.
      const name = random(3) === 0 ? text(random(20)) : `${text(random(4))}dense${text(random(200))}`;
      names.push(name);
      column.add(name);
    }
  };
  const compare = () => {
    expect(column.count()).toBe(names.length);
    for (let index = 0; index < 50; index += 1) {
      const row = random(names.length);
      expect(column.get(row)).toBe(names[row]!);
    }
    for (const needle of ["dense", "abc", text(6), text(9), "a", "x"])
      for (const startsWith of [false, true]) {
        const from = random(3) === 0 ? random(names.length) : 0;
        const found = createRowSet(names.length);
        column.find(Buffer.from(needle), { startsWith, from, found });
        const expected = [...names.keys()].filter((row) => {
          const name = names[row]!;
          return row >= from && (startsWith ? name.startsWith(needle) : name.includes(needle));
        });
        expect(rowsOf(found, names.length), `seed ${seed}: ${needle}`).toEqual(expected);
      }
  };
  add(100);
  compare();
  add(9_000);
  compare();
  const parts = column.content(names.length);
  column = createNameText({
    bytes: Buffer.concat(parts.map(({ bytes }) => bytes)),
    lengths: Buffer.concat(parts.map(({ lengths }) => lengths)),
  });
  compare();
  add(4_000);
  compare();
});

test("the rows of ascending numbers with gaps are found, also in a copy to which more are added", () => {
  const random = randomFrom(seed);
  const seqs: number[] = [];
  let runs = createSeqRuns();
  for (let round = 0; round < 3; round += 1) {
    for (let index = 0; index < 300; index += 1) {
      seqs.push((seqs.at(-1) ?? random(4)) + (random(4) === 0 ? 1 + random(5) : 1));
      runs.append(seqs.at(-1)!);
    }
    for (const row of [0, seqs.length - 1, ...Array.from({ length: 200 }, () => random(seqs.length))])
      expect(runs.at(row)).toBe(seqs[row]!);
    const rows = Int32Array.from(seqs.keys()).filter(() => random(3) > 0);
    expect([...runs.ofRows({ rows, count: rows.length - 1 })]).toEqual(
      Array.from(rows.subarray(0, -1), (row) => seqs[row]!),
    );
    for (let seq = 0; seq < seqs.at(-1)! + 3; seq += 1) {
      const row = seqs.findIndex((one) => one >= seq);
      expect(runs.rowFrom(seq), `seed ${seed}: ${seq}`).toBe(row === -1 ? seqs.length : row);
    }
    runs = createSeqRuns(runs.content());
  }
  expect(createSeqRuns().rowFrom(5)).toBe(0);
});

test("sets of rows contain the rows that were added, in any range, with more room and in common with other sets", () => {
  const random = randomFrom(seed);
  for (let round = 0; round < 50; round += 1) {
    const count = 1 + random(200);
    const [one, other] = [1, 2].map(() => Array.from({ length: count }, () => random(3) === 0)) as [
      boolean[],
      boolean[],
    ];
    const setOf = (chosen: boolean[]) => {
      const set = createRowSet(count);
      for (const [row, isChosen] of chosen.entries()) if (isChosen) addRow(set, row);
      return set;
    };
    const [from, end] = [random(count), random(count + 1)];
    const rows = new Int32Array(count);
    const written = writeRows(setOf(one), from, end, rows);
    const within = [...one.keys()].filter((row) => one[row]! && row >= from && row < end);
    expect([...rows.subarray(0, written)], `seed ${seed}`).toEqual(within);
    const common = intersectionOf(count, [withRoom(setOf(one), 2 * count), undefined, setOf(other)])!;
    expect(rowsOf(common, count)).toEqual([...one.keys()].filter((row) => one[row]! && other[row]!));
  }
  expect(intersectionOf(9, [undefined])).toBeUndefined();
});

test("columns of numbers and times hold any number, and become wider only for those that need it", () => {
  let numbers = withNumber(new Uint8Array(4), 0, 255);
  expect(numbers.BYTES_PER_ELEMENT).toBe(1);
  for (const [value, bytes] of [
    [256, 2],
    [2 ** 16, 4],
    [2 ** 32 - 1, 4],
  ] as const) {
    numbers = withNumber(numbers, 1, value);
    expect([...numbers.subarray(0, 2), numbers.BYTES_PER_ELEMENT]).toEqual([255, value, bytes]);
  }
  expect(() => withNumber(numbers, 1, 2 ** 32)).toThrow(RangeError);

  const times = createTimes(1);
  for (const [time, bytes] of [
    [Date.parse("2008-01-01T00:00:00.001Z"), 1],
    [Date.parse("2040-12-31T23:59:59.999Z"), 1],
    [0, 2],
    [-1, 2],
    [8.64e15, 4],
  ] as const) {
    setTime(times, 0, time);
    expect([timeAt(times, 0), times.periods.BYTES_PER_ELEMENT]).toEqual([time, bytes]);
  }
});

import { expect, test } from "bun:test";
import type { Traits } from "../../../../src/response/cases/grouping/members.ts";
import { createGrouping, type Grouping } from "../../../../src/response/cases/grouping/grouping.ts";
import { reasonCodes, reasons } from "../../../../src/response/cases/grouping/reasons.ts";
import { randomFrom, seed } from "../../../support/random.ts";
import { groupNaively } from "./naive-grouping.ts";

type Random = ReturnType<typeof randomFrom>;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

test("the groups equal those of a comparison of all pairs, after each of many random changes", () => {
  const random = randomFrom(seed);
  let learned = 0;
  let reused = 0;
  let largest = 0;
  for (let round = 0; round < 6; round += 1) {
    const grouping = createGrouping();
    const present = new Map<number, Traits>();
    // Few values: many names share each of them, so that some become shared while names arrive and leave.
    const world =
      round % 2 === 0
        ? { names: 80 + random(60), values: 2 + random(3), brands: 20 + random(20) }
        : { names: 60 + random(60), values: 5 + random(20), brands: 1 + random(10) };
    for (let step = 0; step < 260; step += 1) {
      const seq = 1 + random(world.names);
      const traits = random(5) === 0 ? undefined : randomTraits(random, seq, world);
      if (traits === undefined) present.delete(seq);
      else present.set(seq, traits);
      change(grouping, seq, traits);
      if (step % 8 === 0) compare(grouping, present);
      const member = grouping.member(seq);
      for (const one of member === undefined ? [] : grouping.attributesOf(member)) {
        learned += Number(one.isShared);
        reused += Number(one.breaks !== undefined);
      }
    }
    compare(grouping, present);
    const found = groupsOf(grouping, present);
    largest = Math.max(largest, ...found.map(({ length }) => length));
  }
  // The comparison covers groups, attributes that became shared, and attributes that were used again.
  expect(learned, `seed ${seed}`).toBeGreaterThan(0);
  expect(reused, `seed ${seed}`).toBeGreaterThan(0);
  expect(largest, `seed ${seed}`).toBeGreaterThan(2);
});

test("the order in which threats arrive does not change their groups", () => {
  const random = randomFrom(seed);
  const all = Array.from({ length: 150 }, (_, index) =>
    randomTraits(random, index + 1, { values: 30, brands: 10 }),
  );
  const expected = groupNaively(all);
  for (let round = 0; round < 10; round += 1) {
    const grouping = createGrouping();
    const order = shuffled(random, all);
    // Half of them arrive with other facts first.
    for (const { seq } of order.slice(0, 75))
      change(grouping, seq, randomTraits(random, seq, { values: 30, brands: 10 }));
    for (const traits of shuffled(random, order)) change(grouping, traits.seq, traits);
    expect(groupsOf(grouping, new Map(all.map((one) => [one.seq, one]))), `seed ${seed}`).toEqual(expected);
  }
});

test("a grouping of threats that were all loaded at once equals one that they joined one by one", () => {
  const random = randomFrom(seed);
  const all = Array.from({ length: 300 }, (_, index) =>
    randomTraits(random, index + 1, { values: 40, brands: 10 }),
  );
  const grouping = createGrouping();
  for (const traits of all) grouping.load(traits);
  for (const _ of grouping.connect());
  compare(grouping, new Map(all.map((one) => [one.seq, one])));
  // Removed again, nothing is left behind.
  for (const { seq } of shuffled(random, all)) change(grouping, seq, undefined);
  expect(all.map(({ seq }) => grouping.member(seq))).toEqual(all.map(() => undefined));
});

test("an address joins names that use it at most 90 days after the last one that had it", () => {
  const grouping = createGrouping();
  const used = (seq: number, from: number, until: number | undefined) =>
    change(grouping, seq, {
      ...threat(seq, []),
      firstSeen: from * dayMs,
      values: [
        { reason: "address", value: "203.0.113.7", until: until === undefined ? undefined : until * dayMs },
      ],
    });
  const sizes = () => [1, 2, 3, 4].map((seq) => grouping.member(seq)?.group?.members.length);
  used(1, 0, 10);
  used(2, 5, 20);
  used(3, 110, undefined);
  used(4, 400, undefined);
  expect(sizes()).toEqual([4, 4, 4, 4]);
  used(2, 5, 19);
  expect(sizes()).toEqual([2, 2, 2, 2]);
  used(3, 110, 309);
  expect(sizes()).toEqual([2, 2, undefined, undefined]);
});

test("any two weak reasons of different aspects join two threats, and one alone does not", () => {
  const weak = reasonCodes.filter((code) => reasons[code].weight < 50);
  expect(weak.length).toBeGreaterThan(3);
  for (const one of weak)
    for (const other of weak) {
      const together = reasons[one].aspect !== reasons[other].aspect;
      expect(groupNaively([threat(1, [one, other]), threat(2, [one, other])]).length).toBe(together ? 1 : 0);
    }
  for (const code of reasonCodes)
    expect(groupNaively([threat(1, [code]), threat(2, [code])]).length).toBe(
      reasons[code].weight >= 50 ? 1 : 0,
    );
});

function change(grouping: Grouping, seq: number, traits: Traits | undefined): void {
  for (const _ of grouping.apply(seq, traits));
}

function compare(grouping: Grouping, present: ReadonlyMap<number, Traits>): void {
  expect(groupsOf(grouping, present), `seed ${seed}`).toEqual(groupNaively([...present.values()]));
}

function groupsOf(grouping: Grouping, present: ReadonlyMap<number, Traits>): number[][] {
  const groups = new Set([...present.keys()].flatMap((seq) => grouping.member(seq)?.group ?? []));
  return [...groups]
    .map(({ members }) => members.map(({ seq }) => seq).toSorted((a, b) => a - b))
    .toSorted((a, b) => a[0]! - b[0]!);
}

function threat(seq: number, codes: readonly (typeof reasonCodes)[number][]): Traits {
  return {
    seq,
    name: `n${seq}.test`,
    firstSeen: 0,
    brand: "brand",
    family: `brand ${seq}`,
    order: undefined,
    links: true,
    values: codes.flatMap((reason) =>
      reason === "registration" ? [] : [{ reason, value: "same", until: undefined }],
    ),
    registration: codes.includes("registration")
      ? { registrar: "r", label: "R", at: hourMs * 5 + seq }
      : undefined,
  };
}

function randomTraits(random: Random, seq: number, world: { values: number; brands: number }): Traits {
  const brand = `brand${random(world.brands)}`;
  const registrar = `registrar ${random(3)}`;
  const at = Math.floor(random(world.values * 8) * hourMs * 0.4);
  // The same for each set of traits of a threat.
  const firstSeen = ((seq * 37) % 400) * dayMs;
  const values = (
    ["certificate", "address", "page", "favicon", "name_servers", "numbered_brand"] as const
  ).flatMap((reason) => {
    const isStrong = reasons[reason].weight >= 50;
    if (random(isStrong ? 8 : 2) !== 0) return [];
    const until = random(3) === 0 ? firstSeen + random(60) * dayMs : undefined;
    return [{ reason, value: `${random(world.values)}`, until }];
  });
  const isRegistered = random(3) > 0;
  return {
    seq,
    name: `n${seq}.test`,
    firstSeen,
    brand,
    family: `${brand} ${random(40)}`,
    order: isRegistered ? `${random(200)} ${registrar}` : undefined,
    links: random(10) > 0,
    values,
    registration: isRegistered ? { registrar, label: registrar, at } : undefined,
  };
}

function shuffled<T>(random: Random, values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, place: random(2 ** 20) }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ value }) => value);
}

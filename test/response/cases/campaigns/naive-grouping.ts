import type { Traits } from "../../../../src/response/cases/grouping/members.ts";
import { pairWeightMin, reasons, type ReasonCode } from "../../../../src/response/cases/grouping/reasons.ts";
import { isShared } from "../../../../src/response/cases/grouping/shared.ts";

const hourMs = 3_600_000;
const reuseMs = 90 * 24 * hourMs;

/** Groups threats by comparing each pair: the definition of the grouping, without any index. */
export function groupNaively(all: readonly Traits[]): number[][] {
  const linking = all.filter(({ links }) => links);
  const isCommon = sharednessOf(all);
  const isInOneRun = runsOf(linking);
  const parent = linking.map((_, index) => index);
  const root = (index: number): number => (parent[index] === index ? index : root(parent[index]!));
  linking.forEach((one, i) =>
    linking.slice(0, i).forEach((other, j) => {
      if (pairWeight(one, other, { isCommon, isInOneRun }) >= pairWeightMin) parent[root(i)] = root(j);
    }),
  );
  const groups = Map.groupBy(linking.keys(), root);
  return [...groups.values()]
    .filter((members) => members.length > 1)
    .map((members) => members.map((index) => linking[index]!.seq).toSorted((a, b) => a - b))
    .toSorted((a, b) => a[0]! - b[0]!);
}

type IsCommon = (reason: ReasonCode, value: string) => boolean;

type IsInOneRun = (reason: ReasonCode, value: string, one: Traits, other: Traits) => boolean;

/** Threats share a value if the times at which they had it are at most 90 days apart, or those of others in between. */
function runsOf(linking: readonly Traits[]): IsInOneRun {
  const known = new Map<string, Map<Traits, Traits>>();
  const find = (parents: Map<Traits, Traits>, one: Traits): Traits =>
    parents.get(one) === one ? one : find(parents, parents.get(one)!);
  const partsOf = (reason: ReasonCode, value: string) => {
    const key = `${reason} ${value}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const spans = linking.flatMap((threat) => {
      const found = threat.values.find((its) => its.reason === reason && its.value === value);
      return found === undefined ? [] : [{ threat, from: threat.firstSeen, until: found.until ?? Infinity }];
    });
    const parents = new Map(spans.map(({ threat }) => [threat, threat]));
    for (const a of spans)
      for (const b of spans)
        if (a.from <= b.until + reuseMs && b.from <= a.until + reuseMs)
          parents.set(find(parents, a.threat), find(parents, b.threat));
    known.set(key, parents);
    return parents;
  };
  return (reason, value, one, other) => {
    const parents = partsOf(reason, value);
    return parents.has(one) && parents.has(other) && find(parents, one) === find(parents, other);
  };
}

function pairWeight(
  one: Traits,
  other: Traits,
  { isCommon, isInOneRun }: { isCommon: IsCommon; isInOneRun: IsInOneRun },
): number {
  const weights = new Map<string, number>();
  const note = (reason: ReasonCode) => {
    const { aspect, weight } = reasons[reason];
    weights.set(aspect, Math.max(weights.get(aspect) ?? 0, weight));
  };
  for (const { reason, value } of one.values)
    if (!isCommon(reason, value) && isInOneRun(reason, value, one, other)) note(reason);
  const [a, b] = [one.registration, other.registration];
  const areTogether =
    a !== undefined && b !== undefined && a.registrar === b.registrar && Math.abs(a.at - b.at) <= hourMs;
  if (areTogether && ![a, b].some((order) => isCommon("registration", hourOf(order)))) note("registration");
  return [...weights.values()].reduce((sum, weight) => sum + weight, 0);
}

function sharednessOf(all: readonly Traits[]): IsCommon {
  const known = new Map<string, boolean>();
  return (reason, value) => {
    const key = `${reason} ${value}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const members = all.filter(
      ({ registration, values }) =>
        values.some((one) => one.reason === reason && one.value === value) ||
        (reason === "registration" && registration !== undefined && hourOf(registration) === value),
    );
    const different = (trait: "brand" | "family" | "order") =>
      new Set(members.flatMap((member) => member[trait] ?? [])).size;
    const shared = isShared({
      names: members.length,
      brands: different("brand"),
      families: different("family"),
      orders: different("order"),
      registered: members.filter(({ order }) => order !== undefined).length,
    });
    known.set(key, shared);
    return shared;
  };
}

function hourOf({ registrar, at }: { registrar: string; at: number }): string {
  return `${Math.floor(at / hourMs)} ${registrar}`;
}

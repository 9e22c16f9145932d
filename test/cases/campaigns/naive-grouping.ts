import type { Traits } from "../../../src/cases/campaigns/attributes.ts";
import { pairWeightMin, reasons, type ReasonCode } from "../../../src/cases/campaigns/reasons.ts";
import { isShared } from "../../../src/cases/campaigns/shared.ts";

const hourMs = 3_600_000;

/** Groups threats by comparing each pair: the definition of the grouping, without any index. */
export function groupNaively(all: readonly Traits[]): number[][] {
  const linking = all.filter(({ links }) => links);
  const isCommon = sharednessOf(all);
  const parent = linking.map((_, index) => index);
  const root = (index: number): number => (parent[index] === index ? index : root(parent[index]!));
  linking.forEach((one, i) =>
    linking.slice(0, i).forEach((other, j) => {
      if (pairWeight(one, other, isCommon) >= pairWeightMin) parent[root(i)] = root(j);
    }),
  );
  const groups = Map.groupBy(linking.keys(), root);
  return [...groups.values()]
    .filter((members) => members.length > 1)
    .map((members) => members.map((index) => linking[index]!.seq).toSorted((a, b) => a - b))
    .toSorted((a, b) => a[0]! - b[0]!);
}

type IsCommon = (reason: ReasonCode, value: string) => boolean;

function pairWeight(one: Traits, other: Traits, isCommon: IsCommon): number {
  const weights = new Map<string, number>();
  const note = (reason: ReasonCode) => {
    const { aspect, weight } = reasons[reason];
    weights.set(aspect, Math.max(weights.get(aspect) ?? 0, weight));
  };
  for (const { reason, value } of one.values)
    if (!isCommon(reason, value) && other.values.some((its) => its.reason === reason && its.value === value))
      note(reason);
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

import { isShared, namesToLearn } from "./shared.ts";
import { reasons, type ReasonCode } from "./reasons.ts";

/** Properties of a threat that grouping uses. */
export interface Traits {
  seq: number;
  /** Host name, A-label form. */
  name: string;
  /** Brand that the name imitates. */
  brand: string;
  /** Brand, and the rest of the name without its numbers. */
  family: string;
  /** Registrar and day of registration; undefined if unknown. */
  order: string | undefined;
  /** Whether it joins others. A false positive only counts among the names that an attribute serves. */
  links: boolean;
  values: readonly { reason: Exclude<ReasonCode, "registration">; value: string }[];
  /** At an exact time. */
  registration: { registrar: string; at: number } | undefined;
}

/** One value of one reason, with the threats that have it. */
export interface Attribute {
  readonly id: number;
  readonly reason: ReasonCode;
  readonly value: string;
  readonly members: Member[];
  /** Counters of the names; undefined while there are too few to learn from. */
  counters: Counters | undefined;
  isShared: boolean;
}

/** A threat in the grouping. */
export interface Member extends Traits {
  attributes: readonly Attribute[];
  /** Attribute of the hour of registration, by which it is counted. */
  hour: Attribute | undefined;
  group: Group | undefined;
}

export interface Group {
  members: Member[];
}

interface Counters {
  brands: Map<string, number>;
  families: Map<string, number>;
  orders: Map<string, number>;
  registered: number;
}

const hourMs = 3_600_000;

export type Attributes = ReturnType<typeof createAttributes>;

/** Creates the index of all attributes, which learns which of them are shared. */
export function createAttributes() {
  const byKey = new Map<string, Attribute>();
  let ids = 0;

  function attribute(reason: ReasonCode, value: string): Attribute {
    const key = keyOf(reason, value);
    let found = byKey.get(key);
    if (found === undefined) {
      found = { id: (ids += 1), reason, value, members: [], counters: undefined, isShared: false };
      byKey.set(key, found);
    }
    return found;
  }

  return {
    attribute,
    hourOf: ({ registrar, at }: { registrar: string; at: number }) =>
      attribute("registration", hourValue(registrar, at)),
    /** Returns the attributes of the hour of a registration and of the hours next to it, as far as they exist. */
    hoursAround: ({ registrar, at }: { registrar: string; at: number }) =>
      [-hourMs, 0, hourMs].flatMap(
        (offset) => byKey.get(keyOf("registration", hourValue(registrar, at + offset))) ?? [],
      ),
    add(to: Attribute, member: Member): void {
      to.members.push(member);
      if (to.counters !== undefined) countMember(to.counters, member, 1);
      else if (to.members.length >= namesToLearn) {
        to.counters = { brands: new Map(), families: new Map(), orders: new Map(), registered: 0 };
        for (const one of to.members) countMember(to.counters, one, 1);
      }
      learn(to);
    },
    /** An attribute without members is forgotten. */
    remove(from: Attribute, member: Member): void {
      const place = from.members.indexOf(member);
      const last = from.members.pop()!;
      if (last !== member) from.members[place] = last;
      if (from.members.length < namesToLearn) from.counters = undefined;
      else if (from.counters !== undefined) countMember(from.counters, member, -1);
      if (from.members.length === 0) byKey.delete(keyOf(from.reason, from.value));
      learn(from);
    },
    size: () => byKey.size,
  };
}

/** Returns whether two threats were registered at the same registrar within an hour, neither in an hour that is shared. */
export function areOrderedTogether(one: Member, other: Member): boolean {
  return (
    one.registration !== undefined &&
    other.registration !== undefined &&
    one.registration.registrar === other.registration.registrar &&
    Math.abs(one.registration.at - other.registration.at) <= hourMs &&
    !one.hour!.isShared &&
    !other.hour!.isShared
  );
}

/** Returns whether two reasons belong to different aspects. */
export function areIndependent(one: ReasonCode, other: ReasonCode): boolean {
  return reasons[one].aspect !== reasons[other].aspect;
}

function learn(attribute: Attribute): void {
  const { counters, members } = attribute;
  attribute.isShared =
    counters !== undefined &&
    isShared({
      names: members.length,
      brands: counters.brands.size,
      families: counters.families.size,
      registered: counters.registered,
      orders: counters.orders.size,
    });
}

function countMember(counters: Counters, { brand, family, order }: Member, by: 1 | -1): void {
  count(counters.brands, brand, by);
  count(counters.families, family, by);
  if (order === undefined) return;
  count(counters.orders, order, by);
  counters.registered += by;
}

function count(counts: Map<string, number>, key: string, by: 1 | -1): void {
  const next = (counts.get(key) ?? 0) + by;
  if (next === 0) counts.delete(key);
  else counts.set(key, next);
}

function keyOf(reason: ReasonCode, value: string): string {
  return `${reason} ${value}`;
}

function hourValue(registrar: string, at: number): string {
  return `${Math.floor(at / hourMs)} ${registrar}`;
}

import type { Instant } from "../../lib/clock.ts";
import { createTextPool } from "./text-pool.ts";
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
  values: readonly TraitValue[];
  /** Registrar (its IANA number, if known), its name, and the exact time; undefined if any of them is unknown. */
  registration: { registrar: string; label: string; at: number } | undefined;
}

export interface TraitValue {
  reason: Exclude<ReasonCode, "registration">;
  value: string;
  /** When a check no longer found it; undefined: the threat has it. */
  until: Instant | undefined;
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

/** A threat in the grouping: its traits, in the form that takes the least memory. */
export interface Member {
  readonly seq: number;
  name: string;
  links: boolean;
  /** Keys of everything that it can share with others. */
  keys: readonly number[];
  brand: string;
  family: number;
  order: number | undefined;
  registration: Traits["registration"];
  /** Attributes that it shares with others, or did. */
  attributes: Attribute[];
  /** Attribute of the hour of registration, by which it is counted. */
  hour: Attribute | undefined;
  group: Group | undefined;
}

export interface Group {
  members: Member[];
}

interface Counters {
  brands: Map<string, number>;
  families: Map<number, number>;
  orders: Map<number, number>;
  registered: number;
}

/** Registrations at most this far apart belong together. */
export const orderSpanMs = 3_600_000;
const hourMs = 3_600_000;

export type Attributes = ReturnType<typeof createAttributes>;

/** Creates the index of all attributes, which learns which of them are shared. */
export function createAttributes() {
  /** Most values are those of one threat, which then is the entry. */
  const byKey = new Map<number, Attribute | Member>();
  const pooled = createTextPool();
  let ids = 0;

  /** @param flipped receives whether each attribute was shared before, unless it is known */
  function add(
    member: Member,
    { reason, value }: { reason: ReasonCode; value: string },
    flipped: Flipped,
  ): void {
    const key = keyOf(reason, value);
    const found = byKey.get(key);
    if (found === undefined) {
      byKey.set(key, member);
      return;
    }
    const attribute = "members" in found ? found : promote(key, found, { reason, value });
    if (!flipped.has(attribute)) flipped.set(attribute, attribute.isShared);
    attribute.members.push(member);
    attach(member, attribute);
    const { counters, members } = attribute;
    if (counters !== undefined) countMember(counters, member, 1);
    else if (members.length >= namesToLearn) {
      attribute.counters = { brands: new Map(), families: new Map(), orders: new Map(), registered: 0 };
      for (const one of members) countMember(attribute.counters, one, 1);
    }
    learn(attribute);
  }

  function promote(key: number, sole: Member, of: { reason: ReasonCode; value: string }): Attribute {
    const attribute: Attribute = {
      id: (ids += 1),
      ...of,
      members: [sole],
      counters: undefined,
      isShared: false,
    };
    byKey.set(key, attribute);
    attach(sole, attribute);
    return attribute;
  }

  function remove(member: Member, key: number, flipped: Flipped): void {
    const found = byKey.get(key);
    if (found === undefined || !("members" in found)) {
      byKey.delete(key);
      return;
    }
    const { members } = found;
    flipped.set(found, found.isShared);
    const place = members.indexOf(member);
    const last = members.pop()!;
    if (last !== member) members[place] = last;
    if (members.length < namesToLearn) found.counters = undefined;
    else if (found.counters !== undefined) countMember(found.counters, member, -1);
    if (members.length === 0) byKey.delete(key);
    learn(found);
  }

  return {
    /** Adds a threat with new traits. @param flipped receives whether each attribute was shared before, unless it is known */
    addAll(member: Member, traits: Traits, flipped: Flipped): void {
      const { registration } = traits;
      Object.assign(member, propertiesOf(traits, pooled));
      for (const value of traits.values) add(member, value, flipped);
      if (registration !== undefined)
        add(
          member,
          { reason: "registration", value: hourValue(registration.registrar, registration.at) },
          flipped,
        );
    },
    /** Removes a threat from everything that it shares. */
    removeAll(member: Member, flipped: Flipped): void {
      for (const key of member.keys) remove(member, key, flipped);
      member.attributes = [];
      member.hour = undefined;
    },
    /** Returns threats that were registered in the hour of a registration or next to it, in hours that are not shared. */
    *registeredAround({ registrar, at }: NonNullable<Traits["registration"]>): Generator<Member> {
      for (const offset of [-hourMs, 0, hourMs]) {
        const found = byKey.get(keyOf("registration", hourValue(registrar, at + offset)));
        if (found === undefined) continue;
        if (!("members" in found)) yield found;
        else if (!found.isShared) yield* found.members;
      }
    },
  };
}

/** Whether attributes were shared before a change. */
export type Flipped = Map<Attribute, boolean>;

/** Creates a threat without any traits. */
export function createMember(seq: number): Member {
  return {
    seq,
    name: "",
    links: false,
    keys: [],
    brand: "",
    family: 0,
    order: undefined,
    registration: undefined,
    attributes: [],
    hour: undefined,
    group: undefined,
  };
}

/** Returns the traits in the form in which a member has them. */
export function propertiesOf(
  { brand, family, links, name, order, registration, values }: Traits,
  pooled: (text: string) => string = (text) => text,
) {
  const keys = values.map(({ reason, value }) => keyOf(reason, value));
  if (registration !== undefined)
    keys.push(keyOf("registration", hourValue(registration.registrar, registration.at)));
  return {
    name,
    links,
    keys,
    brand: pooled(brand),
    family: hashOf(family),
    order: order === undefined ? undefined : hashOf(order),
    registration:
      registration === undefined
        ? undefined
        : {
            registrar: pooled(registration.registrar),
            label: pooled(registration.label),
            at: registration.at,
          },
  };
}

/** Returns whether two threats were registered at the same registrar within an hour, neither in an hour that is shared. */
export function areOrderedTogether(one: Member, other: Member): boolean {
  return (
    one.registration !== undefined &&
    other.registration !== undefined &&
    one.registration.registrar === other.registration.registrar &&
    Math.abs(one.registration.at - other.registration.at) <= orderSpanMs &&
    one.hour?.isShared !== true &&
    other.hour?.isShared !== true
  );
}

/** Returns whether two reasons belong to different aspects. */
export function areIndependent(one: ReasonCode, other: ReasonCode): boolean {
  return reasons[one].aspect !== reasons[other].aspect;
}

function attach(member: Member, attribute: Attribute): void {
  if (attribute.reason === "registration") member.hour = attribute;
  else member.attributes.push(attribute);
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

function count<Key>(counts: Map<Key, number>, key: Key, by: 1 | -1): void {
  const next = (counts.get(key) ?? 0) + by;
  if (next === 0) counts.delete(key);
  else counts.set(key, next);
}

function keyOf(reason: ReasonCode, value: string): number {
  return hashOf(`${reason} ${value}`);
}

/** Returns 53 bits, which takes a tenth of the memory of the text: a million values meet with a chance of 1 in 18,000. */
function hashOf(text: string): number {
  return (Bun.hash.cityHash32(text) & 0x1f_ffff) * 2 ** 32 + Bun.hash.murmur32v3(text);
}

function hourValue(registrar: string, at: number): string {
  return `${Math.floor(at / hourMs)} ${registrar}`;
}

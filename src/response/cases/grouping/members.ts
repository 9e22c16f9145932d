import type { Instant } from "../../../platform/lib/clock.ts";
import type { ReasonCode } from "./reasons.ts";

/** Properties of a threat that grouping uses. */
export interface Traits {
  seq: number;
  /** Host name, A-label form. */
  name: string;
  /** When the name was first seen. */
  firstSeen: Instant;
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
  registration: { registrar: string; label: string; at: Instant } | undefined;
}

export interface TraitValue {
  reason: Exclude<ReasonCode, "registration">;
  value: string;
  /** When a check no longer found it; undefined: the threat has it. */
  until: Instant | undefined;
}

/** A threat in the grouping: its traits, in a form that takes 200 bytes. Texts are hashes. */
export interface Member {
  readonly seq: number;
  name: number;
  firstSeen: Instant;
  links: boolean;
  /** Keys of everything that it can share with others. The last one is its hour of registration, if it has a registrar. */
  keys: readonly number[];
  /** When each of the keys ended; undefined if none did. */
  untils: readonly Instant[] | undefined;
  brand: number;
  family: number;
  /** 0: unknown. */
  order: number;
  registrar: string | undefined;
  registrarLabel: string;
  registeredAt: Instant;
  group: Group | undefined;
}

export interface Group {
  members: Member[];
  /** Number that is stored with its threats; null: none. Undefined: theirs may differ. */
  number: number | null | undefined;
}

const hourMs = 3_600_000;

/** Creates a threat without any traits. */
export function createMember(seq: number): Member {
  return {
    seq,
    name: 0,
    firstSeen: 0,
    links: false,
    keys: [],
    untils: undefined,
    brand: 0,
    family: 0,
    order: 0,
    registrar: undefined,
    registrarLabel: "",
    registeredAt: 0,
    group: undefined,
  };
}

export type Properties = Omit<Member, "seq" | "group">;

/** Returns the traits in the form in which a member has them. @param pooled returns the same string for equal texts */
export function propertiesOf(traits: Traits, pooled: (text: string) => string): Properties {
  const { brand, family, firstSeen, links, name, order, registration, values } = traits;
  const keys = values.map(({ reason, value }) => keyOf(reason, value));
  const hasEnded = values.some(({ until }) => until !== undefined);
  // A check that found the end before the threat was recorded is of another clock.
  const untils = values.map(({ until }) => (until === undefined ? Infinity : Math.max(until, firstSeen)));
  if (registration !== undefined) {
    keys.push(hourKey(registration.registrar, registration.at));
    untils.push(Infinity);
  }
  return {
    name: hashOf(name),
    firstSeen,
    links,
    keys,
    untils: hasEnded ? untils : undefined,
    brand: hashOf(brand),
    family: hashOf(family),
    order: order === undefined ? 0 : hashOf(order),
    registrar: registration === undefined ? undefined : pooled(registration.registrar),
    registrarLabel: registration === undefined ? "" : pooled(registration.label),
    registeredAt: registration?.at ?? 0,
  };
}

/** Returns whether nothing would change. */
export function isSame(before: Member, after: Properties): boolean {
  return (
    before.links === after.links &&
    before.family === after.family &&
    before.order === after.order &&
    before.firstSeen === after.firstSeen &&
    before.registeredAt === after.registeredAt &&
    areEqual(before.keys, after.keys) &&
    areEqual(before.untils ?? [], after.untils ?? [])
  );
}

/** Returns whether a threat has fewer ties than before. */
export function loses(before: Member, after: Properties | undefined): boolean {
  if (after?.links !== true) return true;
  return (
    before.firstSeen !== after.firstSeen ||
    (before.registrar !== undefined && before.registeredAt !== after.registeredAt) ||
    before.keys.some((key) => !after.keys.includes(key))
  );
}

/** Returns when a threat lost one of its keys; infinite if it has it. */
export function untilOf({ keys, untils }: Member, key: number): Instant {
  return untils === undefined ? Infinity : untils[keys.indexOf(key)]!;
}

/** Returns the key of the hour of registration, and of the hours next to it. */
export function hourKeys({ registrar, registeredAt }: Member): number[] {
  return registrar === undefined
    ? []
    : [registeredAt, registeredAt - hourMs, registeredAt + hourMs].map((at) => hourKey(registrar, at));
}

function hourKey(registrar: string, at: number): number {
  return keyOf("registration", `${Math.floor(at / hourMs)} ${registrar}`);
}

function keyOf(reason: ReasonCode, value: string): number {
  return hashOf(`${reason} ${value}`);
}

/** Returns 53 bits, never 0, which take a tenth of the memory of the text: a million values meet with a chance of 1 in 18,000. */
function hashOf(text: string): number {
  return (Bun.hash.cityHash32(text) & 0x1f_ffff) * 2 ** 32 + Bun.hash.murmur32v3(text) || 1;
}

function areEqual(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index]);
}

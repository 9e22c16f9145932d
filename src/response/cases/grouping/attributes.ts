import { dayMs } from "../../../platform/lib/clock.ts";
import { type ReasonCode, reasons } from "./reasons.ts";
import { hourKeys, type Member, type Traits, untilOf } from "./members.ts";
import { isShared, namesPerAttributeMax, namesToLearn } from "./shared.ts";

const slotsMin = 1_024;
const fillMax = 0.75;
/** Keys are larger. */
const free = 0;
const deleted = -1;

/** Creates a table from keys (whole numbers from 1 to 2^53) to 32-bit numbers, with 12 bytes for each slot. */
function createKeyTable() {
  let keys = new Float64Array(slotsMin);
  let values = new Int32Array(slotsMin);
  /** Slots that are not free, deleted ones included. */
  let used = 0;
  let size = 0;

  /** Returns the slot of the key, or the first one that it may take. */
  function slotOf(key: number): number {
    const mask = keys.length - 1;
    let reusable = -1;
    for (let slot = firstSlot(key, mask); ; slot = (slot + 1) & mask) {
      const found = keys[slot]!;
      if (found === key) return slot;
      if (found === free) return reusable === -1 ? slot : reusable;
      if (found === deleted && reusable === -1) reusable = slot;
    }
  }

  function resize(): void {
    const [oldKeys, oldValues] = [keys, values];
    let slots = slotsMin;
    while (slots * fillMax <= size * 1.3) slots *= 2;
    keys = new Float64Array(slots);
    values = new Int32Array(slots);
    used = size;
    for (let index = 0; index < oldKeys.length; index += 1) {
      const key = oldKeys[index]!;
      if (key === free || key === deleted) continue;
      const slot = slotOf(key);
      keys[slot] = key;
      values[slot] = oldValues[index]!;
    }
  }

  return {
    /** Returns 0 for a key that is not in the table. */
    get(key: number): number {
      const slot = slotOf(key);
      return keys[slot] === key ? values[slot]! : 0;
    },
    set(key: number, value: number): void {
      let slot = slotOf(key);
      if (keys[slot] !== key) {
        if (used + 1 > keys.length * fillMax) {
          resize();
          slot = slotOf(key);
        }
        if (keys[slot] === free) used += 1;
        keys[slot] = key;
        size += 1;
      }
      values[slot] = value;
    },
    delete(key: number): void {
      const slot = slotOf(key);
      if (keys[slot] !== key) return;
      keys[slot] = deleted;
      size -= 1;
    },
  };
}

function firstSlot(key: number, mask: number): number {
  return (key % 0x1_0000_0000) & mask;
}

/** One value of one reason, with the threats that have it. */
export interface Attribute {
  readonly id: number;
  readonly key: number;
  readonly reason: ReasonCode;
  readonly value: string;
  readonly members: Member[];
  /** Threats that had it once. */
  ended: number;
  /** Whether it serves names of many makers. */
  isShared: boolean;
  /** Times at which a threat had it again, long after the one before had lost it; undefined: there are none. */
  breaks: readonly number[] | undefined;
}

/** Attributes of a change, as they were before. */
export type Touched = Map<Attribute, Pick<Attribute, "isShared" | "breaks">>;

/** An attribute is no reason for threats that were first seen longer after the last threat had lost it. */
const reuseMs = 90 * dayMs;

/** Creates the table of all keys. @param memberOf returns a threat by its `seq` */
function createAttributeTable(memberOf: (seq: number) => Member) {
  /** Most values belong to one threat, whose `seq` is the entry. Others have the negative id of an attribute. */
  const table = createKeyTable();
  const byId = new Map<number, Attribute>();
  let ids = 0;

  function find(key: number): Attribute | undefined {
    const entry = table.get(key);
    return entry < 0 ? byId.get(-entry) : undefined;
  }

  function add(
    member: Member,
    key: number,
    text: () => { reason: ReasonCode; value: string },
  ): Attribute | undefined {
    const entry = table.get(key);
    if (entry === 0) {
      table.set(key, member.seq);
      return undefined;
    }
    const attribute = find(key) ?? promote(key, memberOf(entry), text());
    attribute.members.push(member);
    if (untilOf(member, key) !== Infinity) attribute.ended += 1;
    return attribute;
  }

  function promote(key: number, sole: Member, text: { reason: ReasonCode; value: string }): Attribute {
    const attribute: Attribute = {
      id: (ids += 1),
      key,
      reason: text.reason,
      value: text.value,
      members: [sole],
      ended: untilOf(sole, key) === Infinity ? 0 : 1,
      isShared: false,
      breaks: undefined,
    };
    byId.set(attribute.id, attribute);
    table.set(key, -attribute.id);
    return attribute;
  }

  function remove(member: Member, key: number): void {
    const attribute = find(key);
    if (attribute === undefined) {
      table.delete(key);
      return;
    }
    const { members } = attribute;
    const place = members.indexOf(member);
    const last = members.pop()!;
    if (last !== member) members[place] = last;
    if (untilOf(member, key) !== Infinity) attribute.ended -= 1;
    if (members.length > 0) return;
    table.delete(key);
    byId.delete(attribute.id);
  }

  return { table, byId, find, add, remove };
}

export type Attributes = ReturnType<typeof createAttributes>;

/** Creates the index of all attributes. @param memberOf returns a threat by its `seq` */
export function createAttributes(memberOf: (seq: number) => Member) {
  const { add, byId, find, remove, table } = createAttributeTable(memberOf);

  function* attributesOf({ keys }: Pick<Member, "keys">): Generator<Attribute> {
    for (const key of keys) {
      const attribute = find(key);
      if (attribute !== undefined) yield attribute;
    }
  }

  return {
    /** Adds the keys of a threat, which must have the properties of these traits. */
    addAll(member: Member, { registration, values }: Traits, touched?: Touched): void {
      member.keys.forEach((key, index) => {
        const before = find(key);
        if (before !== undefined && touched?.has(before) === false) touched.set(before, stateOf(before));
        const attribute = add(
          member,
          key,
          () => values[index] ?? { reason: "registration", value: registration!.label },
        );
        if (attribute !== undefined && touched?.has(attribute) === false)
          touched.set(attribute, stateOf(attribute));
      });
    },
    /** Removes a threat from everything that it shares. */
    removeAll(member: Member, touched: Touched): void {
      for (const attribute of attributesOf(member)) touched.set(attribute, stateOf(attribute));
      for (const key of member.keys) remove(member, key);
    },
    /** Returns what a threat shares with others, or did. */
    attributesOf,
    all: () => byId.values(),
    /** Returns whether many makers register names at the registrar of a threat in the hour of its registration. */
    isBusyHour(member: Member): boolean {
      const [own] = hourKeys(member);
      return own !== undefined && find(own)?.isShared === true;
    },
    /** Returns threats that were registered in the hour of a threat or next to it, in hours that are not shared. */
    *registeredAround(member: Member): Generator<Member> {
      for (const key of hourKeys(member)) {
        const entry = table.get(key);
        if (entry > 0) yield memberOf(entry);
        const hour = find(key);
        if (hour?.isShared === false) yield* hour.members;
      }
    },
  };
}

/** Determines whether an attribute is shared, and when it was used again. Reads at most 2,000 threats. */
export function learn(attribute: Attribute): void {
  const { ended, members } = attribute;
  attribute.isShared =
    members.length > namesPerAttributeMax ||
    (members.length >= namesToLearn && isShared(diversityOf(members)));
  attribute.breaks = attribute.isShared || ended === 0 ? undefined : breaksOf(attribute);
}

/** Returns whether two threats share an attribute at a time, or one soon after the other. */
export function areInOneRun(attribute: Attribute, one: Member, other: Member): boolean {
  return runOf(attribute, one) === runOf(attribute, other);
}

/** Returns how often the attribute was used again before a threat had it. */
export function runOf({ breaks }: Attribute, { firstSeen }: Member): number {
  return breaks === undefined ? 0 : breaks.filter((at) => at <= firstSeen).length;
}

/** Returns whether an attribute joins the same threats as before. */
export function isUnchanged(
  { breaks, isShared: now }: Attribute,
  before: Pick<Attribute, "isShared" | "breaks">,
) {
  return now === before.isShared && String(breaks) === String(before.breaks);
}

/** Returns whether two reasons belong to different aspects. */
export function areIndependent(one: ReasonCode, other: ReasonCode): boolean {
  return reasons[one].aspect !== reasons[other].aspect;
}

function stateOf({ breaks, isShared: shared }: Attribute): Pick<Attribute, "isShared" | "breaks"> {
  return { breaks, isShared: shared };
}

function diversityOf(members: readonly Member[]) {
  const orders = members.flatMap(({ order }) => (order === 0 ? [] : [order]));
  return {
    names: members.length,
    brands: new Set(members.map(({ brand }) => brand)).size,
    families: new Set(members.map(({ family }) => family)).size,
    registered: orders.length,
    orders: new Set(orders).size,
  };
}

function breaksOf({ key, members }: Attribute): number[] | undefined {
  const breaks: number[] = [];
  let reach: number | undefined;
  for (const member of members.filter(({ links }) => links).toSorted((a, b) => a.firstSeen - b.firstSeen)) {
    const end = untilOf(member, key) + reuseMs;
    if (reach !== undefined && member.firstSeen > reach) breaks.push(member.firstSeen);
    reach = Math.max(reach ?? end, end);
  }
  return breaks.length === 0 ? undefined : breaks;
}

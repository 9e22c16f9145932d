import { type Attribute, createAttributes, isUnchanged, learn, type Touched } from "./attributes.ts";
import { createGroups, type Groups } from "./groups.ts";
import {
  createMember,
  type Group,
  isSame,
  loses,
  type Member,
  propertiesOf,
  type Traits,
} from "./members.ts";

const textsMax = 20_000;

/** Returns a function that returns the same string for equal texts, so that frequent ones take memory once. */
function createTextPool(): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    if (known.size < textsMax) known.set(text, text);
    return text;
  };
}

/**
 * Groups of threats, connected by pairs that share one strong reason or two weak ones. The groups depend on the present
 * traits only, not on the order in which they came.
 */
export type Grouping = ReturnType<typeof createGrouping>;

export function createGrouping() {
  const members = new Map<number, Member>();
  const attributes = createAttributes((seq) => members.get(seq)!);
  const pooled = createTextPool();
  const changed = new Set<Member>();
  /** Threats without ties that are listed among the changes. */
  const touchedAlone = new Set<number>();
  const groups = createGroups({ attributes, changed });

  /**
   * Records the traits of a threat; undefined: it was deleted. Most calls end at once. Longer work, because an attribute
   * became shared or a group may split, comes in steps: between two of them, the caller may do something else, but must
   * not use the grouping.
   */
  function* apply(seq: number, given: Traits | undefined): Generator<void> {
    const properties = given === undefined ? undefined : propertiesOf(given, pooled);
    const traits = properties?.keys.length === 0 ? undefined : given;
    let member = members.get(seq);
    if (member === undefined && traits === undefined) return;
    if (member !== undefined && properties !== undefined && isSame(member, properties)) return;
    // A group that loses a member or an attribute may fall apart.
    const torn = new Set<Group>();
    if (member?.group !== undefined && loses(member, properties)) torn.add(member.group);
    if (member?.group !== undefined && traits?.links !== true) groups.leave(member);

    const touched: Touched = new Map();
    if (member !== undefined) attributes.removeAll(member, touched);
    if (traits === undefined) members.delete(seq);
    else {
      member ??= createMember(seq);
      members.set(seq, member);
      Object.assign(member, properties);
      attributes.addAll(member, traits, touched);
    }
    changed.add(member!);
    yield* rejoin(yield* learnAll(touched), {
      changed,
      groups,
      torn,
      first: traits?.links === true ? member : undefined,
    });
  }

  return {
    /** Adds a threat that is not present, without joining it to others. `connect` must follow. */
    load(traits: Traits) {
      const properties = propertiesOf(traits, pooled);
      if (properties.keys.length === 0) return;
      const member = Object.assign(createMember(traits.seq), properties);
      members.set(traits.seq, member);
      attributes.addAll(member, traits);
    },
    /** Joins all threats, in steps. */
    *connect(): Generator<void> {
      for (const attribute of attributes.all()) {
        learn(attribute);
        yield;
      }
      for (const member of members.values()) {
        if (member.links) yield* groups.join(member);
        yield;
      }
    },
    apply,
    /** Lists a threat among the changes. */
    touch(seq: number) {
      const member = members.get(seq);
      if (member === undefined) touchedAlone.add(seq);
      else changed.add(member);
    },
    /** Returns undefined for a threat that has nothing that others may have. Such threats take no memory. */
    member: (seq: number) => members.get(seq),
    /** Number of threats that have something that others may have. */
    size: () => members.size,
    attributesOf: attributes.attributesOf,
    isBusyHour: attributes.isBusyHour,
    /** Returns groups that changed since the last call, with their threats that did, and threats that have no group. */
    takeChanges() {
      const found = new Map<Group, Member[]>();
      const alone = [...touchedAlone];
      for (const member of changed)
        if (member.group === undefined) alone.push(member.seq);
        else if (found.get(member.group)?.push(member) === undefined) found.set(member.group, [member]);
      changed.clear();
      touchedAlone.clear();
      return { groups: found, alone };
    },
  };
}

/** Learns again, and returns the attributes that join other threats than before, and whether they joined any. */
function* learnAll(touched: Touched): Generator<void, Map<Attribute, boolean>> {
  const flipped = new Map<Attribute, boolean>();
  for (const [attribute, before] of touched) {
    learn(attribute);
    if (!isUnchanged(attribute, before)) flipped.set(attribute, !before.isShared);
    yield;
  }
  return flipped;
}

function* rejoin(
  flipped: ReadonlyMap<Attribute, boolean>,
  {
    changed,
    first,
    groups,
    torn,
  }: { changed: Set<Member>; groups: Groups; torn: Set<Group>; first: Member | undefined },
): Generator<void> {
  const widened = new Set<Member>(first === undefined ? [] : [first]);
  for (const [attribute, joined] of flipped)
    for (const one of attribute.members) {
      changed.add(one);
      if (!attribute.isShared) widened.add(one);
      if (joined && one.group !== undefined) torn.add(one.group);
    }
  for (const group of torn) yield* groups.split(group);
  for (const one of widened) {
    if (one.links) yield* groups.join(one);
    yield;
  }
}

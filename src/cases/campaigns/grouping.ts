import {
  createAttributes,
  type Attribute,
  type Attributes,
  type Group,
  type Member,
  type Traits,
} from "./attributes.ts";
import { createGroups } from "./groups.ts";

/**
 * Groups of threats, connected by pairs that share one strong reason or two weak ones. The groups depend on the present
 * traits only, not on the order in which they came.
 */
export interface Grouping {
  /**
   * Records the traits of a threat; undefined: it was deleted. Most calls end at once. Longer work, because an attribute
   * became shared or a group may split, comes in steps: between two of them, the caller may do something else, but must
   * not use the grouping.
   */
  apply(seq: number, traits: Traits | undefined): Generator<void>;
  member(seq: number): Member | undefined;
  /** Returns groups that changed since the last call, and threats that have no group. */
  takeChanges(): { groups: Group[]; alone: Member[] };
  /** Number of threats. */
  size(): number;
}

export function createGrouping(): Grouping {
  const attributes = createAttributes();
  const members = new Map<number, Member>();
  const changed = new Set<Member>();
  const groups = createGroups({ attributes, changed });

  function* apply(seq: number, traits: Traits | undefined): Generator<void> {
    let member = members.get(seq);
    if (member === undefined && traits === undefined) return;
    if (member !== undefined && traits !== undefined && isSame(member, traits)) return;
    // A group that loses a member or an attribute may fall apart.
    const torn = new Set<Group>();
    if (member?.group !== undefined && loses(member, traits)) torn.add(member.group);
    if (member?.group !== undefined && traits?.links !== true) groups.leave(member);

    const flipped = new Map<Attribute, boolean>();
    if (member !== undefined) removeFrom(attributes, member, flipped);
    if (traits === undefined) members.delete(seq);
    else if (member === undefined) {
      member = { ...traits, attributes: [], hour: undefined, group: undefined };
      members.set(seq, member);
    } else Object.assign(member, traits);
    if (traits !== undefined) addTo(attributes, member!, flipped);
    changed.add(member!);

    const widened: Member[] = traits?.links === true ? [member!] : [];
    for (const [attribute, wasShared] of flipped) {
      if (attribute.isShared === wasShared) continue;
      for (const one of attribute.members) {
        changed.add(one);
        if (!attribute.isShared) widened.push(one);
        else if (one.group !== undefined) torn.add(one.group);
      }
    }
    for (const group of torn) yield* groups.split(group);
    for (const one of widened) {
      if (one.links) groups.join(one);
      if (one !== member) yield;
    }
  }

  return {
    apply,
    member: (seq) => members.get(seq),
    takeChanges() {
      const found = new Set<Group>();
      const alone: Member[] = [];
      for (const member of changed)
        if (member.group !== undefined) found.add(member.group);
        else if (members.get(member.seq) === member) alone.push(member);
      changed.clear();
      return { groups: [...found], alone };
    },
    size: () => members.size,
  };
}

/** @param flipped receives whether each attribute was shared before */
function removeFrom(index: Attributes, member: Member, flipped: Map<Attribute, boolean>): void {
  for (const attribute of attributesOf(member)) {
    flipped.set(attribute, attribute.isShared);
    index.remove(attribute, member);
  }
}

/** @param flipped receives whether each attribute was shared before, unless it is known */
function addTo(index: Attributes, member: Member, flipped: Map<Attribute, boolean>): void {
  member.attributes = member.values.map(({ reason, value }) => index.attribute(reason, value));
  member.hour = member.registration === undefined ? undefined : index.hourOf(member.registration);
  for (const attribute of attributesOf(member)) {
    if (!flipped.has(attribute)) flipped.set(attribute, attribute.isShared);
    index.add(attribute, member);
  }
}

function attributesOf({ attributes, hour }: Member): Attribute[] {
  return hour === undefined ? [...attributes] : [...attributes, hour];
}

/** Returns whether a threat has fewer ties than before. */
function loses(before: Traits, after: Traits | undefined): boolean {
  if (after?.links !== true) return true;
  return (
    (before.registration?.at !== after.registration?.at && before.registration !== undefined) ||
    (before.registration?.registrar !== after.registration?.registrar && before.registration !== undefined) ||
    before.values.some(
      ({ reason, value }) => !after.values.some((one) => one.reason === reason && one.value === value),
    )
  );
}

function isSame(before: Traits, after: Traits): boolean {
  return (
    before.links === after.links &&
    before.family === after.family &&
    before.brand === after.brand &&
    before.order === after.order &&
    before.registration?.at === after.registration?.at &&
    before.registration?.registrar === after.registration?.registrar &&
    before.values.length === after.values.length &&
    before.values.every(({ reason, value }, index) => {
      const other = after.values[index]!;
      return other.reason === reason && other.value === value;
    })
  );
}

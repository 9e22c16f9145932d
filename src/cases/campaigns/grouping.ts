import {
  createAttributes,
  createMember,
  propertiesOf,
  type Flipped,
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
    const properties = traits === undefined ? undefined : propertiesOf(traits);
    if (member !== undefined && properties !== undefined && isSame(member, properties)) return;
    // A group that loses a member or an attribute may fall apart.
    const torn = new Set<Group>();
    if (member?.group !== undefined && loses(member, properties)) torn.add(member.group);
    if (member?.group !== undefined && traits?.links !== true) groups.leave(member);

    const flipped: Flipped = new Map();
    if (member !== undefined) attributes.removeAll(member, flipped);
    if (traits === undefined) members.delete(seq);
    else {
      member ??= createMember(seq);
      members.set(seq, member);
      attributes.addAll(member, traits, flipped);
    }
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

/** Returns whether a threat has fewer ties than before. */
function loses(before: Member, after: ReturnType<typeof propertiesOf> | undefined): boolean {
  if (after?.links !== true) return true;
  return (
    (before.registration !== undefined && before.registration.at !== after.registration?.at) ||
    before.keys.some((key) => !after.keys.includes(key))
  );
}

function isSame(before: Member, after: ReturnType<typeof propertiesOf>): boolean {
  return (
    before.links === after.links &&
    before.family === after.family &&
    before.order === after.order &&
    before.registration?.at === after.registration?.at &&
    before.keys.length === after.keys.length &&
    before.keys.every((key, index) => key === after.keys[index])
  );
}

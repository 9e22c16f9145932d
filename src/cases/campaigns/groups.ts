import {
  areIndependent,
  areOrderedTogether,
  type Attribute,
  type Attributes,
  type Group,
  type Member,
} from "./attributes.ts";
import { pairWeightMin, reasons } from "./reasons.ts";

/** Steps of a search through a group between two pauses. */
const stepsPerPause = 500;
/** Pairs of attributes are numbered as `one * pairFactor + other`, which is exact for 67 million attributes. */
const pairFactor = 2 ** 26;

/** Connected components of the threats. A threat without neighbors has no group. */
export function createGroups({ attributes, changed }: { attributes: Attributes; changed: Set<Member> }) {
  function merge(one: Member, other: Member): void {
    if (one.group !== undefined && one.group === other.group) return;
    changed.add(one);
    const [into, from] =
      (one.group?.members.length ?? 0) >= (other.group?.members.length ?? 0) ? [one, other] : [other, one];
    into.group ??= { members: [into] };
    for (const member of from.group?.members ?? [from]) {
      member.group = into.group;
      into.group.members.push(member);
    }
  }

  return {
    /** Merges the groups of a threat and of all that it is joined to. */
    join(member: Member): void {
      for (const other of oneOfEach(member, attributes)) merge(member, other);
    },

    /** Takes a threat out of its group, whose other members stay together until it is split. */
    leave(member: Member): void {
      const { group } = member;
      if (group === undefined) return;
      group.members.splice(group.members.indexOf(member), 1);
      member.group = undefined;
    },

    /** Divides a group into those of its parts that are still connected. */
    *split(group: Group): Generator<void> {
      let steps = 0;
      for (const start of group.members) {
        changed.add(start);
        if (start.group !== group) continue;
        const part: Member[] = [];
        const seen = new Set<number>();
        const visit = (member: Member) => {
          if (member.group !== group || !member.links) return;
          member.group = undefined;
          part.push(member);
        };
        visit(start);
        for (let next = 0; next < part.length; next += 1)
          for (const neighbor of neighborsOf(part[next]!, seen)) {
            visit(neighbor);
            if ((steps += 1) % stepsPerPause === 0) yield;
          }
        if (part.length < 2) continue;
        const rest: Group = { members: part };
        for (const member of part) member.group = rest;
      }
    },
  };

  /** @param seen attributes and pairs of attributes whose threats were returned before; is added to */
  function* neighborsOf(member: Member, seen: Set<number>): Generator<Member> {
    for (const attribute of member.attributes)
      if (isStrong(attribute) && !attribute.isShared && isNew(seen, attribute.id)) yield* attribute.members;
    for (const [small, large] of weakPairs(member))
      if (isNew(seen, Math.min(small.id, large.id) * pairFactor + Math.max(small.id, large.id)))
        for (const other of small.members) if (other.attributes.includes(large)) yield other;
    yield* orderedTogether(member, attributes);
  }
}

function isNew(seen: Set<number>, id: number): boolean {
  if (seen.has(id)) return false;
  seen.add(id);
  return true;
}

/** Returns whether sharing this attribute alone joins two threats. */
function isStrong({ reason }: Attribute): boolean {
  return reasons[reason].weight >= pairWeightMin;
}

/** Returns pairs of weak attributes of a threat that join it to those who have both. */
function* weakPairs({ attributes }: Member): Generator<[Attribute, Attribute]> {
  const weak = attributes.filter((attribute) => !attribute.isShared && !isStrong(attribute));
  for (const [index, one] of weak.entries())
    for (const other of weak.slice(index + 1))
      if (areIndependent(one.reason, other.reason))
        yield one.members.length <= other.members.length ? [one, other] : [other, one];
}

/** Returns threats registered in the same hour that share one of the threat's weak attributes. */
function* orderedTogether(member: Member, { registeredAround }: Attributes): Generator<Member> {
  const { attributes, hour, registration } = member;
  if (registration === undefined || hour?.isShared === true) return;
  const weak = attributes.filter((attribute) => !attribute.isShared && !isStrong(attribute));
  if (weak.length === 0) return;
  for (const other of registeredAround(registration))
    if (
      other !== member &&
      other.links &&
      areOrderedTogether(member, other) &&
      weak.some((attribute) => other.attributes.includes(attribute))
    )
      yield other;
}

/**
 * Returns threats that a threat is joined to: all that were registered with it, and one for each other reason, because
 * those who share that reason are joined to each other.
 */
function* oneOfEach(member: Member, attributes: Attributes): Generator<Member> {
  for (const attribute of member.attributes)
    if (isStrong(attribute) && !attribute.isShared) {
      const other = attribute.members.find((one) => one !== member && one.links);
      if (other !== undefined) yield other;
    }
  for (const [small, large] of weakPairs(member)) {
    const other = small.members.find((one) => one !== member && one.links && one.attributes.includes(large));
    if (other !== undefined) yield other;
  }
  yield* orderedTogether(member, attributes);
}

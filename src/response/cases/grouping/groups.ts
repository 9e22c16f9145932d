import type { Attributes } from "./attributes.ts";
import type { Group, Member } from "./members.ts";
import { neighborsOf, oneOfEach } from "./neighbors.ts";

/** Steps of a search through a group between two pauses. */
const stepsPerPause = 500;

export type Groups = ReturnType<typeof createGroups>;

/** Connected components of the threats. A threat without neighbors has no group. */
export function createGroups({ attributes, changed }: { attributes: Attributes; changed: Set<Member> }) {
  function merge(one: Member, other: Member): void {
    if (one.group !== undefined && one.group === other.group) return;
    changed.add(one);
    const [into, from] =
      (one.group?.members.length ?? 0) >= (other.group?.members.length ?? 0) ? [one, other] : [other, one];
    if (into.group === undefined) {
      into.group = { members: [into], number: undefined };
      changed.add(into);
    }
    for (const member of from.group?.members ?? [from]) {
      member.group = into.group;
      into.group.members.push(member);
      changed.add(member);
    }
  }

  return {
    /** Merges the groups of a threat and of all that it is joined to. */
    *join(member: Member): Generator<void> {
      for (const other of oneOfEach(member, attributes))
        if (other === undefined) yield;
        else if (other.links) merge(member, other);
    },

    /** Takes a threat out of its group, whose other members stay together until it is split. */
    leave(member: Member): void {
      const { group } = member;
      if (group === undefined) return;
      group.members.splice(group.members.indexOf(member), 1);
      member.group = undefined;
    },

    /** Divides a group into the parts that are still connected. */
    *split(group: Group): Generator<void> {
      let steps = 0;
      for (const start of group.members) {
        if (start.group !== group) continue;
        changed.add(start);
        const part: Member[] = [];
        const seen = new Set<string>();
        const visit = (member: Member) => {
          if (member.group !== group || !member.links) return;
          member.group = undefined;
          part.push(member);
        };
        visit(start);
        for (let next = 0; next < part.length; next += 1) {
          if ((steps += 1) % stepsPerPause === 0) yield;
          for (const neighbor of neighborsOf(part[next]!, attributes, seen)) {
            if (neighbor === undefined || (steps += 1) % stepsPerPause === 0) yield;
            if (neighbor !== undefined) visit(neighbor);
          }
        }
        if (part.length < 2) continue;
        const isWhole = part.length === group.members.length;
        const rest: Group = { members: part, number: isWhole ? group.number : undefined };
        for (const member of part) member.group = rest;
      }
    },
  };
}

import {
  areIndependent,
  areOrderedTogether,
  type Attribute,
  type Attributes,
  type Member,
} from "./attributes.ts";
import { pairWeightMin, reasons } from "./reasons.ts";

/** Returns whether sharing this attribute alone joins two threats. */
export function isStrong({ reason }: Attribute): boolean {
  return reasons[reason].weight >= pairWeightMin;
}

/** Returns pairs of weak attributes of a threat that join it to those who have both. */
export function* weakPairs({ attributes }: Member): Generator<[Attribute, Attribute]> {
  const weak = attributes.filter((attribute) => !attribute.isShared && !isStrong(attribute));
  for (const [index, one] of weak.entries())
    for (const other of weak.slice(index + 1))
      if (areIndependent(one.reason, other.reason))
        yield one.members.length <= other.members.length ? [one, other] : [other, one];
}

/** Returns threats registered in the same hour that share one of the threat's weak attributes. */
export function* orderedTogether(member: Member, { hoursAround }: Attributes): Generator<Member> {
  if (member.registration === undefined || member.hour!.isShared) return;
  const weak = member.attributes.filter((attribute) => !attribute.isShared && !isStrong(attribute));
  if (weak.length === 0) return;
  for (const hour of hoursAround(member.registration))
    if (!hour.isShared)
      for (const other of hour.members)
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
export function* oneOfEach(member: Member, attributes: Attributes): Generator<Member> {
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

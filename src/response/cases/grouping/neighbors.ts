import { pairWeightMin, reasons } from "./reasons.ts";
import { areIndependent, areInOneRun, runOf, type Attribute, type Attributes } from "./attributes.ts";
import type { Member } from "./members.ts";

/** Registrations at most this far apart belong together. */
export const orderSpanMs = 3_600_000;
/** Threats that are compared between two pauses. */
const comparedPerPause = 500;

/** A neighbor; undefined: a pause is possible. */
type Found = Member | undefined;

/**
 * Returns all threats that a threat is joined to, except those that were returned for another one with the same reason.
 * @param seen reasons whose threats were returned before; is added to
 */
export function* neighborsOf(member: Member, attributes: Attributes, seen: Set<string>): Generator<Found> {
  const own = usable(member, attributes);
  for (const attribute of own) {
    if (!isStrong(attribute) || !isNew(seen, runName(attribute, member))) continue;
    for (const other of paced(attribute.members)) {
      if (other === undefined) yield undefined;
      else if (areInOneRun(attribute, member, other)) yield other;
    }
  }
  for (const [small, large] of weakPairs(own)) {
    const [one, two] = [runName(small, member), runName(large, member)].toSorted();
    if (isNew(seen, `${one} ${two}`)) yield* withBoth(member, small, large);
  }
  yield* orderedTogether(member, own, attributes);
}

/**
 * Returns threats that a threat is joined to: all that were registered with it, and one for each other reason, because
 * those who share that reason are joined to each other.
 */
export function* oneOfEach(member: Member, attributes: Attributes): Generator<Found> {
  const own = usable(member, attributes);
  for (const attribute of own)
    if (isStrong(attribute)) {
      const other = attribute.members.find(
        (one) => one !== member && one.links && areInOneRun(attribute, member, one),
      );
      if (other !== undefined) yield other;
    }
  for (const [small, large] of weakPairs(own))
    for (const other of withBoth(member, small, large)) {
      yield other;
      if (other?.links === true) break;
    }
  yield* orderedTogether(member, own, attributes);
}

/** Returns whether sharing this attribute alone joins two threats. */
function isStrong({ reason }: Attribute): boolean {
  return reasons[reason].weight >= pairWeightMin;
}

/** Returns attributes that may join a threat to others. */
function usable(member: Member, { attributesOf }: Attributes): Attribute[] {
  return [...attributesOf(member)].filter(
    ({ isShared, members, reason }) => !isShared && members.length > 1 && reason !== "registration",
  );
}

/** Returns pairs of weak attributes that join threats which have both. */
function* weakPairs(own: readonly Attribute[]): Generator<[Attribute, Attribute]> {
  const weak = own.filter((attribute) => !isStrong(attribute));
  for (const [index, one] of weak.entries())
    for (const other of weak.slice(index + 1))
      if (areIndependent(one.reason, other.reason))
        yield one.members.length <= other.members.length ? [one, other] : [other, one];
}

function* withBoth(member: Member, small: Attribute, large: Attribute): Generator<Found> {
  for (const other of paced(small.members))
    if (other === undefined) yield undefined;
    else if (
      other !== member &&
      other.keys.includes(large.key) &&
      areInOneRun(small, member, other) &&
      areInOneRun(large, member, other)
    )
      yield other;
}

/** Returns threats registered within an hour that share one of the threat's weak attributes. */
function* orderedTogether(
  member: Member,
  own: readonly Attribute[],
  { isBusyHour, registeredAround }: Attributes,
): Generator<Found> {
  const weak = own.filter((attribute) => !isStrong(attribute));
  if (weak.length === 0 || member.registrar === undefined || isBusyHour(member)) return;
  for (const other of paced(registeredAround(member))) {
    if (other === undefined) yield undefined;
    else if (
      other !== member &&
      other.links &&
      Math.abs(member.registeredAt - other.registeredAt) <= orderSpanMs &&
      weak.some((attribute) => other.keys.includes(attribute.key) && areInOneRun(attribute, member, other))
    )
      yield other;
  }
}

/** Inserts possible pauses. */
function* paced(members: Iterable<Member>): Generator<Found> {
  let compared = 0;
  for (const member of members) {
    if ((compared += 1) % comparedPerPause === 0) yield undefined;
    yield member;
  }
}

function runName(attribute: Attribute, member: Member): string {
  return `${attribute.id}.${runOf(attribute, member)}`;
}

function isNew(seen: Set<string>, name: string): boolean {
  if (seen.has(name)) return false;
  seen.add(name);
  return true;
}

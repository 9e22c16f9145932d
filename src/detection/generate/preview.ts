/** A first look at what would be made of a name, before it is protected: some of every kind, not all there is. */
import { createMatcher } from "../match/matcher.ts";
import { decodeLabel } from "../names/name.ts";
import { familiesBeside, inTurns, namesOf, type Family, type Permutation } from "./permutations.ts";
import { splitName } from "../names/suffix.ts";
import type { ProtectedName } from "../types.ts";
import { nearVariantsOf } from "./variants.ts";

/** Names tried for each that is wanted: most match, and the bound holds where none does. */
const triesPerName = 3;

/**
 * `count` look-alikes at most, the types in turns. Each kind of change has its turn with one name, so that
 * after a few hundred names, whatever the label's length, all kinds were seen; the whole generator goes
 * through tens of thousands. In steps, for callers who let others work in between.
 */
export function* previewSteps(
  protectedName: ProtectedName,
  { minSimilarity, count }: { minSimilarity: number; count: number },
): Generator<void, Permutation[]> {
  const { domain } = protectedName;
  const matcher = createMatcher([protectedName], { minSimilarity, filter: false });
  const { registrableLabel, suffix } = splitName(domain);
  const writings = nearVariantsOf(decodeLabel(registrableLabel));
  const families: Family[] = [
    ...writings.map((variants) => ({ labels: spread(variants), under: [suffix] })),
    ...familiesBeside(domain),
  ];
  let rounds = families.map(namesOf);
  const seen = new Set<string>();
  const found: Permutation[] = [];
  for (let tries = 0; rounds.length > 0;) {
    const left: typeof rounds = [];
    for (const names of rounds) {
      if (found.length >= count || tries >= count * triesPerName) return inTurns(found);
      const { value: name, done } = names.next();
      if (done === true) continue;
      left.push(names);
      if (seen.has(name)) continue;
      seen.add(name);
      tries++;
      const [match] = matcher.match(name);
      if (match !== undefined) found.push({ name, type: match.type, similarity: match.similarity });
      yield;
    }
    rounds = left;
  }
  return inTurns(found);
}

/**
 * All of a list, but neighbours far apart: writings come letter by letter, and the first dozen should not all be
 * of the first letter. Multiples of the golden ratio are spread evenly however many are taken (Knuth, The Art of
 * Computer Programming, volume 3, section 6.4).
 */
function* spread(list: Iterable<string>): Generator<string> {
  const items = Array.from(list);
  let step = Math.max(1, Math.round(items.length * 0.618034));
  while (greatestCommonDivisor(step, items.length) > 1) step++;
  for (let turn = 0, at = 0; turn < items.length; turn++, at = (at + step) % items.length) yield items[at]!;
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

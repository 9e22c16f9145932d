/** Previews the look-alikes of a domain before it is protected: some of every type, rather than all of them. */
import { createMatcher } from "../match/matcher.ts";
import { decodeLabel } from "../names/name.ts";
import { splitProtected } from "../names/suffix.ts";
import type { ProtectedName } from "../types.ts";
import { otherFamilies, interleaveTypes, namesOf, type Family, type Permutation } from "./permutations.ts";
import { nearVariantsOf } from "./variants.ts";

/** Maximum number of names tried for each requested one. Most match; the limit bounds the work if none do. */
const triesPerName = 3;

/**
 * Generates up to `count` look-alikes, with their types interleaved. The families of changes take turns with one name
 * each, so that a few hundred names cover all of them, whatever the length of the label; `permutations` goes through
 * tens of thousands. Yields between names, so that callers can let other work run.
 */
export function* previewSteps(
  protectedName: ProtectedName,
  { minSimilarity, count }: { minSimilarity: number; count: number },
): Generator<void, Permutation[]> {
  const { domain } = protectedName;
  const matcher = createMatcher([protectedName], { minSimilarity, filter: false });
  const { registrableLabel, suffix } = splitProtected(domain);
  const variantLists = nearVariantsOf(decodeLabel(registrableLabel));
  const families: Family[] = [
    ...variantLists.map((variants) => ({ labels: spread(variants), under: [suffix] })),
    ...otherFamilies(domain),
  ];
  let rounds = families.map(namesOf);
  const seen = new Set<string>();
  const found: Permutation[] = [];
  for (let tries = 0; rounds.length > 0;) {
    const left: typeof rounds = [];
    for (const names of rounds) {
      if (found.length >= count || tries >= count * triesPerName) return interleaveTypes(found);
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
  return interleaveTypes(found);
}

/**
 * Yields all items of a list with adjacent ones far apart. Variants come letter by letter, and the first dozen should
 * not all change the first letter. Multiples of the golden ratio are spread evenly however many are taken (Knuth,
 * The Art of Computer Programming, volume 3, section 6.4).
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

/** Names that somebody would register to be taken for the protected one. */
import { createMatcher } from "./matcher.ts";
import { splitName } from "./suffix.ts";
import type { ProtectedName, ThreatType } from "./types.ts";

export interface Permutation {
  name: string;
  type: ThreatType;
  similarity: number;
}

const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789-";
const commonSuffixes = ["com", "net", "org", "info", "biz", "top", "xyz", "shop", "online", "site", "app"];

/** Most likely first. Each one is matched by `createMatcher` as the same type. */
export function* permutations(
  protectedName: ProtectedName,
  options: { minSimilarity: number },
): Generator<Permutation> {
  const { registrableLabel: label, suffix } = splitName(protectedName.domain);
  const names = new Set<string>();
  for (const other of commonSuffixes) if (other !== suffix) names.add(`${label}.${other}`);
  for (let i = 0; i <= label.length; i++) {
    const [before, after] = [label.slice(0, i), label.slice(i)];
    names.add(`${before}${after.slice(1)}.${suffix}`);
    if (after.length > 1) names.add(`${before}${after[1]}${after[0]}${after.slice(2)}.${suffix}`);
    for (const letter of alphabet) {
      names.add(`${before}${letter}${after}.${suffix}`);
      names.add(`${before}${letter}${after.slice(1)}.${suffix}`);
    }
  }
  const matcher = createMatcher([protectedName], options);
  const found = [...names]
    .filter((name) => !/^-|-\./.test(name))
    .flatMap((name) => matcher.match(name).map(({ type, similarity }) => ({ name, type, similarity })));
  yield* found.sort((a, b) => b.similarity - a.similarity || (a.name < b.name ? -1 : 1));
}

import type { Permutation } from "../detection/generate/permutations.ts";
import type { ProtectedName } from "../detection/types.ts";
import type { Pacer } from "../lib/pacer.ts";

/** A hundred seconds at 200 queries a second; the most likely ones come first. */
const perDomainMax = 20_000;
/** For all protected domains together: what fits into memory and a quarter of an hour. */
const inAllMax = 200_000;
/**
 * The names to look up for these protected domains, each once, the most likely of each domain first.
 * @param limit so many for each domain at most
 */
export async function collectLookAlikes(
  protectedNames: readonly ProtectedName[],
  {
    minSimilarity,
    limit = perDomainMax,
    pacer,
    signal,
  }: { minSimilarity: number; limit?: number | undefined; pacer: Pacer; signal: AbortSignal },
): Promise<string[]> {
  // Only now: the detection's word lists are nothing that a start should wait for.
  const { permutationSteps } = await import("../detection/generate/permutations.ts");
  const share = Math.min(limit, perDomainMax, Math.ceil(inAllMax / protectedNames.length));
  const names = new Set<string>();
  for (const protectedName of protectedNames) {
    const likely = await inSlices(
      permutationSteps(protectedName, { minSimilarity, limit: share }),
      pacer,
      signal,
    );
    for (const { name } of likely) names.add(name);
  }
  return [...names];
}

/** Making them takes up to a second or two, in which others have to be served. */
async function inSlices(
  steps: Generator<void, Permutation[]>,
  pacer: Pacer,
  signal: AbortSignal,
): Promise<Permutation[]> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (signal.aborted) return [];
    if (pacer.due()) await pacer.pause();
  }
}

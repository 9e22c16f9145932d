import type { Permutation } from "../../engines/detection/generate/permutations.ts";
import type { ProtectedName } from "../../engines/detection/types.ts";
import type { Yielder } from "../../platform/lib/yielder.ts";

/** Maximum number of look-alikes per protected domain, most likely first: 100 seconds at 200 queries per second. */
const perDomainMax = 20_000;
/** Maximum number of look-alikes per scan, limited by memory and by a duration of about 15 minutes. */
const perScanMax = 200_000;

/**
 * Returns the distinct look-alikes of the protected names, most likely first for each of them.
 * @param options.limit maximum number of look-alikes per protected name
 */
export async function generateLookAlikes(
  protectedNames: readonly ProtectedName[],
  {
    minSimilarity,
    limit = perDomainMax,
    yielder,
    signal,
  }: { minSimilarity: number; limit?: number | undefined; yielder: Yielder; signal: AbortSignal },
): Promise<string[]> {
  // Loaded here, because the word lists would delay startup.
  const { permutationSteps } = await import("../../engines/detection/generate/permutations.ts");
  const share = Math.min(limit, perDomainMax, Math.ceil(perScanMax / protectedNames.length));
  const names = new Set<string>();
  for (const protectedName of protectedNames) {
    const steps = permutationSteps(protectedName, { minSimilarity, limit: share });
    for (const { name } of await runSteps(steps, { yielder, signal })) names.add(name);
  }
  return [...names];
}

/** Runs the steps to their end, a second or two of work, and yields to other work in between. */
async function runSteps(
  steps: Generator<void, Permutation[]>,
  { yielder, signal }: { yielder: Yielder; signal: AbortSignal },
): Promise<Permutation[]> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (signal.aborted) return [];
    if (yielder.due()) await yielder.pause();
  }
}

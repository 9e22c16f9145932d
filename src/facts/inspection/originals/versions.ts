import type { OriginalVersion } from "./tables.ts";

/** Numbers of versions of each kind that are kept of an original. */
const keptMax = { accepted: 6, waiting: 1, rejected: 6 };

/** Returns the name of a version's screenshot file. */
export function screenshotId(versionSeq: number): string {
  return `original_${versionSeq}`;
}

/**
 * Returns the seqs of the versions that are no longer needed.
 * @param versions the present version first
 * @param latest version that the last capture showed: anything else that waits was a passing state
 */
export function supersededBy(
  versions: readonly OriginalVersion[],
  latest: Pick<OriginalVersion, "seq">,
): number[] {
  return (Object.keys(keptMax) as (keyof typeof keptMax)[]).flatMap((state) => {
    const ofState = versions.filter((version) => version.state === state);
    const kept = state === "waiting" ? ofState.filter(({ seq }) => seq === latest.seq) : ofState;
    const keptSeqs = new Set(kept.slice(0, keptMax[state]).map(({ seq }) => seq));
    return ofState.filter(({ seq }) => !keptSeqs.has(seq)).map(({ seq }) => seq);
  });
}

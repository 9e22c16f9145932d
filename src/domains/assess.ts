import type { Permutation } from "../detection/generate/permutations.ts";
import type { WordRemark } from "../detection/brand/word-warnings.ts";
import type { Pacer } from "../lib/pacer.ts";
import { type DeclaredDomain, type DomainContent, readDeclaration } from "./declaration.ts";

/** What is to be expected of a domain, before it is protected. */
export interface DomainAssessment {
  content: DomainContent;
  /** Words of it that are not looked for everywhere, and why. */
  remarks: WordRemark[];
  /** Some look-alikes of every kind, the types in turns. */
  lookAlikes: Permutation[];
}

/** Rejects with DomainFieldError for a value that cannot be taken. Writes nothing, asks nobody. */
export type AssessDomain = (declared: DeclaredDomain) => Promise<DomainAssessment>;

const lookAlikesShown = 40;

export function createDomainAssessment({
  minSimilarity,
  pacer,
}: {
  /** `detection.min_similarity`. */
  minSimilarity: number;
  pacer: () => Pacer;
}): AssessDomain {
  return async (declared) => {
    const content = readDeclaration(declared);
    const pace = pacer();
    // Only now: the detection's word lists are nothing that a start should wait for.
    const [{ remarksOn }, { previewSteps }] = await Promise.all([
      import("../detection/brand/word-warnings.ts"),
      import("../detection/generate/preview.ts"),
    ]);
    const steps = previewSteps(content, { minSimilarity, count: lookAlikesShown });
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return { content, remarks: remarksOn(content), lookAlikes: value };
      if (pace.due()) await pace.pause();
    }
  };
}

import type { Permutation } from "../detection/generate/permutations.ts";
import type { Yielder } from "../lib/yielder.ts";
import { type DeclaredDomain, type DomainContent, validateDeclaration } from "./declaration.ts";

/** Preview of what protecting a domain will do. */
export interface DomainAssessment {
  content: DomainContent;
  /** Examples of look-alikes, alternating between all types. */
  lookAlikes: Permutation[];
}

/** Rejects with DomainFieldError for an invalid value. Does no I/O. */
export type AssessDomain = (declared: DeclaredDomain) => Promise<DomainAssessment>;

/** Number of look-alikes in a preview. */
const lookAlikesShown = 40;

export function createDomainAssessment({
  minSimilarity,
  yielder,
}: {
  /** `detection.min_similarity`. */
  minSimilarity: number;
  yielder: () => Yielder;
}): AssessDomain {
  return async (declared) => {
    const content = validateDeclaration(declared);
    const pace = yielder();
    // Loaded here, because the word lists would delay startup.
    const { previewSteps } = await import("../detection/generate/preview.ts");
    const steps = previewSteps(content, { minSimilarity, count: lookAlikesShown });
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return { content, lookAlikes: value };
      if (pace.due()) await pace.pause();
    }
  };
}

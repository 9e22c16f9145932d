import type { DetectionSettings } from "../../platform/config/config.ts";
import type { Permutation } from "../../engines/detection/generate/permutations.ts";
import { BoundedMap } from "../../platform/lib/bounded-map.ts";
import type { Yielder } from "../../platform/lib/yielder.ts";
import { type DeclaredDomain, type DomainContent, validateDeclaration } from "./declaration.ts";
import type { Suggestions } from "./suggestions.ts";

/** Preview of what protecting a domain will do. */
export interface DomainAssessment {
  content: DomainContent;
  /** Examples of look-alikes, alternating between all types. */
  lookAlikes: Permutation[];
  suggestions: Suggestions;
}

/** Rejects with DomainFieldError for an invalid value. Does no I/O. */
export type AssessDomain = (declared: DeclaredDomain) => Promise<DomainAssessment>;

/** Number of look-alikes in a preview. */
const lookAlikesShown = 40;
/** Maximum number of previews in memory, of about 10 kB each. One takes a tenth of a second to generate. */
const keptMax = 100;

export function createDomainAssessment({
  detection,
  yielder,
}: {
  detection: Pick<DetectionSettings, "minSimilarity">;
  yielder: () => Yielder;
}): AssessDomain {
  /** By content. */
  const kept = new BoundedMap<string, DomainAssessment>(keptMax);

  async function assess(content: DomainContent, minSimilarity: number): Promise<DomainAssessment> {
    const pace = yielder();
    // Loaded here, because the word lists would delay startup.
    const { previewSteps } = await import("../../engines/detection/generate/preview.ts");
    const { suggestFor } = await import("./suggestions.ts");
    const steps = previewSteps(content, { minSimilarity, count: lookAlikesShown });
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return { content, lookAlikes: value, suggestions: suggestFor(content) };
      if (pace.due()) await pace.pause();
    }
  }

  return async (declared) => {
    const content = validateDeclaration(declared);
    const { minSimilarity } = detection;
    const key = JSON.stringify([content, minSimilarity]);
    const assessment = kept.get(key) ?? (await assess(content, minSimilarity));
    kept.set(key, assessment);
    return assessment;
  };
}

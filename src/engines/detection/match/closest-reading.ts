/** Finds the reading of one name that gives it its similarity to one protected domain. */
import { createAligner } from "../alignment/alignment.ts";
import { brandWordsOf, type BrandWord } from "../brand/brand-words.ts";
import { readHost } from "../names/host.ts";
import { splitProtected } from "../names/suffix.ts";
import { closestOf } from "../score/choose-reading.ts";
import { acceptance } from "../score/rules.ts";
import { scoreName, type ScoredReading } from "../score/score-name.ts";

/**
 * Returns the reading that the matcher takes the similarity from, or undefined if no rule accepts one.
 *
 * @param name, domain A-label form
 * @param keywords brand keywords of the protected domain
 */
export type FindClosestReading = (
  name: string,
  domain: string,
  keywords?: readonly string[],
) => ScoredReading | undefined;

/** Assessing the words of a domain takes a millisecond, reading a name less than a tenth of that. */
const cachedDomainsMax = 1_000;

/** Default of `detection.min_similarity`. */
const minSimilarityDefault = 0.75;

export function createClosestReading(): FindClosestReading {
  const aligner = createAligner();
  const cache = new Map<string, BrandWord[]>();

  function wordsOf(domain: string, keywords: readonly string[]): BrandWord[] {
    const key = [domain, ...keywords].join(" ");
    const known = cache.get(key);
    if (known !== undefined) return known;
    if (cache.size >= cachedDomainsMax) cache.clear();
    const words = brandWordsOf({ domain, keywords, allow: [] });
    cache.set(key, words);
    return words;
  }

  return (name, domain, keywords = []) => {
    const { suffix } = splitProtected(domain);
    const readings = readHost(name).flatMap((host) =>
      wordsOf(domain, keywords).flatMap((word) =>
        scoreName({ aligner, accept: acceptance, host, word, suffix, minSimilarity: 0 }),
      ),
    );
    // Readings that are too different to match do not compete with those that match.
    const matching = readings.filter(({ similarity }) => similarity >= minSimilarityDefault);
    return closestOf(matching) ?? closestOf(readings);
  };
}

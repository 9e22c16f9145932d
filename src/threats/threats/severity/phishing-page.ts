/** Facts about the page of a suspicious domain. */
export interface PageEvidence {
  asksForPassword: boolean;
  asksForCard: boolean;
  namesBrand: boolean;
  /** The page is, or redirects to, the page of the protected domain. */
  redirectsToProtected: boolean;
  /** Visual similarity to the page of the protected domain, 0 to 1; undefined: not compared. */
  visualSimilarity?: number | undefined;
  /** Result of comparing the page with the protected brand; undefined: not compared. */
  imitation?: { score: number; imitates: boolean } | undefined;
}

/** Eight of the 64 bits of the perceptual hash may differ: dates, banners, a cookie notice. */
const sameLookMin = 0.75;

export function asksForSecrets({ asksForPassword, asksForCard }: PageEvidence): boolean {
  return asksForPassword || asksForCard;
}

/** Returns whether two pages look like the same page. */
export function looksLikeOriginal({ visualSimilarity }: Pick<PageEvidence, "visualSimilarity">): boolean {
  return visualSimilarity !== undefined && visualSimilarity >= sameLookMin;
}

/** Returns whether a page poses as the page of the protected brand, by its content or by its looks. */
export function imitatesOriginal(page: Pick<PageEvidence, "visualSimilarity" | "imitation">): boolean {
  return page.imitation?.imitates === true || looksLikeOriginal(page);
}

/** Returns whether a page poses as the protected brand and asks for secrets, without being the brand's own page. */
export function isPhishingPage(page: PageEvidence): boolean {
  return asksForSecrets(page) && (page.namesBrand || imitatesOriginal(page)) && !page.redirectsToProtected;
}

/** Returns a visual similarity (0 to 1) as readers see it: "69 %". */
export function visualSimilarityText(visualSimilarity: number): string {
  return `${Math.round(visualSimilarity * 100)} %`;
}

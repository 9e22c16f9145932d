/** Maximum number of brand keywords of one protected domain. */
export const keywordsMax = 100;
/** Maximum number of allowed names of one protected domain. */
export const allowMax = 10_000;

/** Completes "it needs" and "expected" for a domain with an unrecognizable label. */
export const keywordsNeeded = "at least one brand keyword by which names that imitate it can be recognized";

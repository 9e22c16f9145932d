/** Maximum number of brand keywords of one protected domain. */
export const keywordsMax = 100;
/** Maximum number of allowed names of one protected domain. */
export const allowMax = 10_000;

/** Separators of the groups in the header of a proxy. Authelia and oauth2-proxy write commas, Authentik vertical bars. */
export const groupsSeparators = [",", ";", "|"] as const;
export type GroupsSeparator = (typeof groupsSeparators)[number];

/** Whether a name exists in DNS; `unknown` if no server gave a definite response. */
export type Presence = "yes" | "no" | "unknown";

/**
 * States of the site at a name, derived from facts. They are independent of the status, which is the team's assessment.
 */
export const siteStates = ["unregistered", "registered", "parked", "up", "blocked", "down", "back"] as const;
export type SiteState = (typeof siteStates)[number];

/** Whether a name exists in DNS; `unknown` if no server gave a definite response. */
export type Presence = "yes" | "no" | "unknown";

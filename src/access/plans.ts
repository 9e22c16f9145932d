/** Requests that a key of each plan may make in a minute (interface specification, "Limits"); null: as many as it likes. */
export const planLimits = { free: 60, pro: 600, enterprise: null } as const satisfies Record<
  string,
  number | null
>;

export const plans = ["free", "pro", "enterprise"] as const satisfies readonly (keyof typeof planLimits)[];
export type Plan = (typeof plans)[number];
export const defaultPlan: Plan = "pro";

export const scopes = ["threats:read", "threats:write", "candidates:write"] as const;
export type Scope = (typeof scopes)[number];
/** What a key may do when nothing else was said. */
export const defaultScopes: readonly Scope[] = ["threats:read", "threats:write"];

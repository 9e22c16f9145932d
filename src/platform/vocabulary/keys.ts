/** Requests per minute that a key of each plan may make; null: unlimited. */
export const planLimits = { free: 60, pro: 600, enterprise: null } as const satisfies Record<
  string,
  number | null
>;

export const plans = ["free", "pro", "enterprise"] as const satisfies readonly (keyof typeof planLimits)[];
export type Plan = (typeof plans)[number];
export const defaultPlan: Plan = "pro";

export const scopes = ["threats:read", "threats:write", "candidates:write"] as const;
export type Scope = (typeof scopes)[number];
/** Scopes of a key that was created without any. */
export const defaultScopes: readonly Scope[] = ["threats:read", "threats:write"];

/** Actions that a role may allow. Every route of the console names one of them. */
export const permissions = [
  "read",
  /** Changes that concern only the visitor: signing out, the color theme. */
  "session",
  "decide",
  "annotate",
  "report",
  "inspect",
  "import",
  "scan",
  "administer",
] as const;
export type Permission = (typeof permissions)[number];

export const roles = ["viewer", "analyst", "administrator"] as const;
export type Role = (typeof roles)[number];

const viewer: readonly Permission[] = ["read", "session"];
const analyst: readonly Permission[] = [
  ...viewer,
  "decide",
  "annotate",
  "report",
  "inspect",
  "import",
  "scan",
];

const allowed: Record<Role, readonly Permission[]> = { viewer, analyst, administrator: permissions };

/** Returns whether a role allows an action. */
export function may(role: Role, permission: Permission): boolean {
  return allowed[role].includes(permission);
}

/** Separators of the groups in the header of a proxy. Authelia and oauth2-proxy write commas, Authentik vertical bars. */
export const groupsSeparators = [",", ";", "|"] as const;
export type GroupsSeparator = (typeof groupsSeparators)[number];

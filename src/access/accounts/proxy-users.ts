import { type GroupsSeparator, type Role, roles } from "../../platform/vocabulary/permissions.ts";
import { readAccountName } from "./account-names.ts";

/** Headers by which a trusted proxy says who the user is, in lowercase. */
interface TrustedUserSettings {
  header: string;
  groupsHeader: string;
  groupsSeparator: GroupsSeparator;
  groupRoles: readonly { group: string; role: Role }[];
}

type ProxyUser =
  /** The proxy authenticated no user, or no header is configured. */
  | { outcome: "none" }
  /** The request has the header, but did not come from a trusted proxy. */
  | { outcome: "untrusted" }
  /** The header is no name of an account. `given` was written by the proxy or by an attacker. */
  | { outcome: "invalid_name"; given: string }
  /** The groups may come from two headers, one of which the client has sent. */
  | { outcome: "repeated_groups"; name: string }
  /** None of the user's groups has a role. */
  | { outcome: "no_role"; name: string }
  | { outcome: "user"; name: string; role: Role };

/** Longer headers are not read. */
const groupsCharactersMax = 8_000;

/** How a header arrives that was sent twice. */
const joint = ", ";

/**
 * Returns the user that a proxy has authenticated. A header that is sent twice arrives as one with a comma and a space, which
 * is neither a name nor a list of groups, so a client cannot add to what the proxy sends.
 */
export function readProxyUser(
  settings: TrustedUserSettings | null,
  { headers, isFromTrustedProxy }: { headers: Pick<Headers, "get">; isFromTrustedProxy: () => boolean },
): ProxyUser {
  const given = settings === null ? "" : (headers.get(settings.header) ?? "").trim();
  if (settings === null || given === "") return { outcome: "none" };
  if (!isFromTrustedProxy()) return { outcome: "untrusted" };
  const name = readAccountName(given);
  if (name === undefined) return { outcome: "invalid_name", given };
  const groups = headers.get(settings.groupsHeader) ?? "";
  if (groups.includes(joint)) return { outcome: "repeated_groups", name };
  const role = roleOf(groups, settings);
  return role === undefined ? { outcome: "no_role", name } : { outcome: "user", name, role };
}

/** Returns the highest role of the groups. */
function roleOf(header: string, { groupRoles, groupsSeparator }: TrustedUserSettings): Role | undefined {
  if (header.length > groupsCharactersMax) return undefined;
  // The commas of a distinguished name, such as cn=a,leads,ou=b, separate no groups.
  if (groupsSeparator === "," && header.includes("=")) return undefined;
  const groups = new Set(header.split(groupsSeparator).map((group) => group.trim()));
  const held = groupRoles.filter(({ group }) => groups.has(group)).map(({ role }) => role);
  return roles.findLast((role) => held.includes(role));
}

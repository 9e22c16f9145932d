import { groupsSeparators, roles } from "../../vocabulary/permissions.ts";
import type { Conflict } from "../fields/config-error.ts";
import {
  boolean,
  choice,
  optionalSecret,
  optionalText,
  type Partly,
  type Static,
  table,
  tables,
  text,
  type TextReader,
} from "../fields/fields.ts";

/** Headers that clients send themselves, or that proxies pass on or write with something else than a name. */
const ordinaryHeaders =
  /^(accept|age|authorization|cache-control|connection|content|cookie|date|dnt|expect|forwarded|from|host|if-|keep-alive|origin|pragma|priority|proxy|range|referer|sec-|te$|trailer|transfer|upgrade|user-agent|via|x-forwarded-(for|host|port|proto|server)$|x-fragment|x-real-ip|x-request)/i;

/** No underscore: nginx drops such headers by default, and servers that follow CGI take one for a hyphen. */
const readTrustedHeader: TextReader<string> = (given) =>
  /^[A-Za-z][A-Za-z0-9-]{1,63}$/.test(given) && !ordinaryHeaders.test(given)
    ? { value: given.toLowerCase() }
    : {
        allowed: `a header that only the proxy writes, of letters, digits and hyphens, such as "Remote-User" or "X-Forwarded-User"`,
      };

const readGroup: TextReader<string> = (given) =>
  /^\P{Cc}{1,200}$/u.test(given) && given.trim() === given
    ? { value: given }
    : { allowed: "the name of a group, of 1 to 200 characters" };

export const webConsole = table("console", {
  enabled: boolean(),
  password: optionalSecret({ lengthMin: 12, lengthMax: 200, ascii: false }),
  require_codes: boolean(),
  trusted_user_header: optionalText("header", readTrustedHeader),
  trusted_groups_header: optionalText("header", readTrustedHeader),
  trusted_groups_separator: choice(groupsSeparators),
  group_roles: tables("console.group_roles", 100, {
    group: text("group", readGroup),
    role: choice(roles),
  }),
});

/** Returns the headers by which a trusted proxy says who the user is; null: none. */
export function toTrustedUser({
  trusted_user_header: header,
  trusted_groups_header: groupsHeader,
  trusted_groups_separator: groupsSeparator,
  group_roles: groupRoles,
}: Static<typeof webConsole>) {
  return header === null || groupsHeader === null
    ? null
    : { header, groupsHeader, groupsSeparator, groupRoles };
}

/** Checks that what a proxy sends about users is complete. */
export function* consoleConflicts({
  console: given,
}: {
  console?: Partly<Static<typeof webConsole>> | undefined;
}): Generator<Conflict> {
  if (given?.trusted_user_header === undefined) return;
  const { trusted_user_header: user, trusted_groups_header: groups, group_roles: roleList } = given;
  if (user === null) {
    if (groups !== null && groups !== undefined)
      yield {
        path: "console.trusted_groups_header",
        found: "no trusted_user_header beside it",
        allowed: "both or none",
      };
    return;
  }
  const path = "console.trusted_user_header";
  if (groups === null) yield { path, found: "no trusted_groups_header beside it", allowed: "both or none" };
  if (groups === user)
    yield {
      path: "console.trusted_groups_header",
      found: "the header of the name",
      allowed: "another header",
    };
  const { trusted_groups_separator: separator = "," } = given;
  for (const [index, entry] of (roleList ?? []).entries())
    if ([separator, ", ", ...(separator === "," ? ["="] : [])].some((part) => entry?.group?.includes(part)))
      yield {
        path: `console.group_roles[${index}].group`,
        found: `a group that cannot be in a header with the separator "${separator}"`,
        allowed: 'a group without it, without ", ", and without "=" if commas separate groups',
      };
  if (roleList?.length === 0)
    yield { path, found: "no [[console.group_roles]]", allowed: "a role for at least one group" };
}

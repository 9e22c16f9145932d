import { isAtOrBelow, parseHostName } from "../../../platform/lib/host-names.ts";

/** RFC 5321 §4.5.3.1.3. */
const emailCharactersMax = 254;
/** A subset of RFC 5321's atoms: no character that has a meaning in a header, a URL or a shell. */
const localPart = /^[a-z0-9]([a-z0-9._+-]{0,62}[a-z0-9])?$/i;

/**
 * Returns an address from registration data if a report may be sent there: a single plain address with a host name in
 * A-label form, which is not at one of `excluded` or below. Attackers write such data: an address at the look-alike
 * would warn them.
 */
export function usableEmail(
  text: string | undefined,
  { excluded }: { excluded: readonly string[] },
): string | undefined {
  if (text === undefined || text.length > emailCharactersMax) return undefined;
  const at = text.lastIndexOf("@");
  const local = text.slice(0, Math.max(0, at));
  const host = parseHostName(text.slice(at + 1));
  if (!localPart.test(local) || local.includes("..") || host === null || !host.includes("."))
    return undefined;
  if (excluded.some((domain) => domain !== "" && isAtOrBelow(host, domain))) return undefined;
  return `${local}@${host}`;
}

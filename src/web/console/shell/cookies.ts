/** The console's cookies: unreadable for scripts, and sent only with requests from its own pages. */

import type { Config } from "../../../platform/config/config.ts";

/** The longest value holds the preferences of a reader in a time zone with a long name. */
const plainValue = /^[A-Za-z0-9_-]{1,128}$/;

/** Returns the value of a cookie; undefined if it is missing or malformed. */
export function readCookie(request: Request, name: string): string | undefined {
  for (const pair of (request.headers.get("cookie") ?? "").split(";")) {
    const [key, value] = pair.trim().split("=", 2);
    if (key === name && value !== undefined && plainValue.test(value)) return value;
  }
  return undefined;
}

/** Returns a `Set-Cookie` value. @param maxAgeSeconds absent: until the browser is closed; 0: delete the cookie */
export function cookie(
  name: string,
  value: string,
  { secure, path, maxAgeSeconds }: { secure: boolean; path: string; maxAgeSeconds?: number },
): string {
  const age = maxAgeSeconds === undefined ? "" : `; Max-Age=${maxAgeSeconds}`;
  return `${name}=${value}; Path=${path}${age}; HttpOnly; SameSite=Strict${secure ? "; Secure" : ""}`;
}

/** Returns whether browsers reach the console over TLS, so that cookies can be restricted to it. */
export function isSecure({ server }: Pick<Config, "server">): boolean {
  return server.tls !== null || server.publicUrl.startsWith("https:");
}

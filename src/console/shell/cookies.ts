/** The cookies of the console: no script reads them, and they come with requests from its own pages alone. */

const plainValue = /^[A-Za-z0-9_-]{1,64}$/;

/** Undefined: there is none, or one that the console never made. */
export function readCookie(request: Request, name: string): string | undefined {
  for (const pair of (request.headers.get("cookie") ?? "").split(";")) {
    const [key, value] = pair.trim().split("=", 2);
    if (key === name && value !== undefined && plainValue.test(value)) return value;
  }
  return undefined;
}

/** For `Set-Cookie`. @param maxAgeSeconds absent: until the browser is closed; 0: it is to be forgotten */
export function cookie(
  name: string,
  value: string,
  { secure, path, maxAgeSeconds }: { secure: boolean; path: string; maxAgeSeconds?: number },
): string {
  const age = maxAgeSeconds === undefined ? "" : `; Max-Age=${maxAgeSeconds}`;
  return `${name}=${value}; Path=${path}${age}; HttpOnly; SameSite=Strict${secure ? "; Secure" : ""}`;
}

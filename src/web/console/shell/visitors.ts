import type { Account } from "../../../access/accounts/accounts.ts";
import { markSecondsMax } from "../../../access/console/known-devices.ts";
import { equalInConstantTime } from "../../../access/console/password.ts";
import type { ConsoleSession, ConsoleSessions } from "../../../access/console/sessions.ts";
import { randomText, type FillRandom } from "../../../platform/lib/ids.ts";
import type { Config } from "../../../platform/config/config.ts";
import { overviewPath, signInPath } from "../kit/paths.ts";

/** A browser, identified by the cookies of its request. */
export interface Visitor {
  session: ConsoleSession | undefined;
  /** The signed-in account; undefined without a session. */
  account: Account | undefined;
  /** CSRF token that the forms for this browser carry. */
  csrfToken: string;
  /** `Set-Cookie` value that the CSRF token of a visitor without a session depends on. */
  setCookie: string | undefined;
  /** Mark of a browser that has signed in before, unverified; undefined if there is none. */
  deviceMark: string | undefined;
}

const sessionName = "phishwatch_session";
/** Binds the sign-in form's CSRF token to the browser before there is a session. */
const visitCookie = "phishwatch_visit";
const visitBytes = 16;
/** Recognizes a browser at its next sign-in. Sent with the sign-in form only. */
const deviceCookie = "phishwatch_device";
/** Length of `visitBytes` in base64url. */
const visitLength = 22;
const sessionCookieSeconds = 7 * 24 * 3600;

/**
 * Returns whether a request that changes something came from one of the console's own pages. Recent browsers
 * report this with Sec-Fetch-Site (over TLS and on localhost), others with Origin. A client that sends neither
 * is not a browser, and still has to know the CSRF token.
 */
export function isSameOrigin(headers: Headers, publicUrl: string): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  const origin = headers.get("origin");
  if (origin === null) return true;
  if (!URL.canParse(origin)) return false;
  return origin === new URL(publicUrl).origin || new URL(origin).host === headers.get("host");
}

/** Manages the cookies that identify visitors, and the CSRF tokens derived from them. */
export function createVisitors(given: {
  sessions: Pick<ConsoleSessions, "find">;
  fillRandom: FillRandom;
  /** Undefined: the account is disabled. */
  accountOf: (session: ConsoleSession) => Account | undefined;
  /** Restricts cookies to HTTPS. */
  secure: () => boolean;
}) {
  const { sessions, fillRandom, accountOf, secure } = given;
  // The prefix makes browsers reject a cookie that another host of the same domain, or a page without TLS, has set.
  const sessionCookie = () => (secure() ? `__Host-${sessionName}` : sessionName);

  /** Returns the visitor with the token of a session, unless the session has ended. */
  function ofToken(token: string, deviceMark?: string): Visitor | undefined {
    const session = sessions.find(token);
    const account = session && accountOf(session);
    if (session === undefined || account === undefined) return undefined;
    return { session, account, csrfToken: csrfTokenOf(token), setCookie: undefined, deviceMark };
  }

  return {
    ofToken,
    identify(request: Request): Visitor {
      const token = readCookie(request, sessionCookie());
      const deviceMark = readCookie(request, deviceCookie);
      const signedIn = token === undefined ? undefined : ofToken(token, deviceMark);
      if (signedIn !== undefined) return signedIn;
      const kept = readCookie(request, visitCookie);
      const known = kept?.length === visitLength ? kept : undefined;
      const visit = known ?? randomText(fillRandom, visitBytes);
      return {
        session: undefined,
        account: undefined,
        csrfToken: csrfTokenOf(visit),
        setCookie:
          known === undefined
            ? cookie(visitCookie, visit, { secure: secure(), path: overviewPath })
            : undefined,
        deviceMark,
      };
    },
    sessionCookie: (token: string) =>
      cookie(sessionCookie(), token, { secure: secure(), path: "/", maxAgeSeconds: sessionCookieSeconds }),
    deviceCookie: (mark: string) =>
      cookie(deviceCookie, mark, { secure: secure(), path: signInPath, maxAgeSeconds: markSecondsMax }),
    expiredSessionCookie: () =>
      cookie(sessionCookie(), "", { secure: secure(), path: "/", maxAgeSeconds: 0 }),
  };
}

export type Visitors = ReturnType<typeof createVisitors>;

export function isCsrfToken(given: string | null, visitor: Visitor): boolean {
  return given !== null && equalInConstantTime(given, visitor.csrfToken);
}

// Only a holder of the cookie can compute the token, and no script can read these cookies.
function csrfTokenOf(secret: string): string {
  return Bun.SHA256.hash(`form of ${secret}`, "base64url");
}

/** Returns a path of the console itself, from a form or a query; the overview in place of any other address. */
export function ownPath(text: string | null): string {
  if (text === null || !/^\/console(?:[/?]|$)/.test(text) || /[\\\p{Cc}]/u.test(text)) return overviewPath;
  const base = "http://localhost";
  if (!URL.canParse(text, base)) return overviewPath;
  const { origin, pathname, search } = new URL(text, base);
  if (origin !== base || !/^\/console(?:\/|$)/.test(pathname) || pathname.includes("//")) return overviewPath;
  return `${pathname}${search}`;
}

// The console's cookies are unreadable for scripts, and sent only with requests from its own pages.

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

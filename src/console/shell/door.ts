import type { ConsoleSession, ConsoleSessions } from "../../access/console/sessions.ts";
import { sameText } from "../../access/console/password.ts";
import { randomText, type FillRandom } from "../../lib/ids.ts";
import { cookie, readCookie } from "./cookies.ts";
import { overviewPath } from "../kit/paths.ts";

/** What a browser showed with its request. */
export interface Visitor {
  session: ConsoleSession | undefined;
  /** What forms for this browser carry. */
  formToken: string;
  /** To be kept by the browser, so that the form token holds. */
  setCookie: string | undefined;
}

const sessionCookie = "phishwatch_session";
/** For the sign-in form, which there is no session for yet. */
const visitCookie = "phishwatch_visit";
const visitBytes = 16;
/** In base64url. */
const visitLength = 22;
const sessionCookieSeconds = 7 * 24 * 3600;

/**
 * Whether a request that changes something came from a page of ours. Browsers say so where they are new
 * (Sec-Fetch-Site, over TLS and on localhost), or name where it came from (Origin). What says neither is no
 * browser, and has to know the form token all the same.
 */
export function comesFromOurPages(headers: Headers, publicUrl: string): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin";
  const origin = headers.get("origin");
  if (origin === null) return true;
  if (!URL.canParse(origin)) return false;
  return origin === new URL(publicUrl).origin || new URL(origin).host === headers.get("host");
}

/** The cookies of the console: who holds which, and what belongs into the forms they are shown. */
export function createDoor({ sessions, fillRandom }: { sessions: ConsoleSessions; fillRandom: FillRandom }) {
  return {
    look(request: Request, secure: boolean): Visitor {
      const token = readCookie(request, sessionCookie);
      const session = token === undefined ? undefined : sessions.find(token);
      if (session !== undefined) return { session, formToken: formTokenOf(token!), setCookie: undefined };
      const kept = readCookie(request, visitCookie);
      const known = kept?.length === visitLength ? kept : undefined;
      const visit = known ?? randomText(fillRandom, visitBytes);
      return {
        session: undefined,
        formToken: formTokenOf(visit),
        setCookie:
          known === undefined ? cookie(visitCookie, visit, { secure, path: overviewPath }) : undefined,
      };
    },
    keep: (token: string, secure: boolean) =>
      cookie(sessionCookie, token, { secure, path: "/", maxAgeSeconds: sessionCookieSeconds }),
    drop: (secure: boolean) => cookie(sessionCookie, "", { secure, path: "/", maxAgeSeconds: 0 }),
    isFormToken: (given: string | null, visitor: Visitor) =>
      given !== null && sameText(given, visitor.formToken),
  };
}

// Whoever has the cookie's content could make it, and nobody else has that: no script reads these cookies.
function formTokenOf(secret: string): string {
  return Bun.SHA256.hash(`form of ${secret}`, "base64url");
}

/** A path of the console's own, as it stands in a form or an address; anything else becomes the overview. */
export function ownPath(text: string | null): string {
  if (text === null || !/^\/console(?:[/?]|$)/.test(text) || /[\\\p{Cc}]/u.test(text)) return overviewPath;
  const base = "http://localhost";
  if (!URL.canParse(text, base)) return overviewPath;
  const { origin, pathname, search } = new URL(text, base);
  if (origin !== base || !/^\/console(?:\/|$)/.test(pathname) || pathname.includes("//")) return overviewPath;
  return `${pathname}${search}`;
}

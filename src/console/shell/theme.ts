import { overviewPath } from "../kit/paths.ts";
import { cookie, readCookie } from "./cookies.ts";

export const themes = ["auto", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

const themeCookieName = "phishwatch_theme";
const themeCookieSeconds = 365 * 24 * 3600;

/** Returns the `Set-Cookie` value that keeps the chosen theme. */
export function themeCookie(theme: Theme, secure: boolean): string {
  return cookie(themeCookieName, theme, { secure, path: overviewPath, maxAgeSeconds: themeCookieSeconds });
}

export function themeOf(request: Request): Theme {
  const chosen = readCookie(request, themeCookieName);
  return themes.find((theme) => theme === chosen) ?? "auto";
}

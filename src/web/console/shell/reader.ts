import { createReaderTimes, utc } from "../kit/times.ts";
import type { Reader } from "../kit/page-context.ts";
import { overviewPath } from "../kit/paths.ts";
import { cookie, readCookie } from "./visitors.ts";

export const themes = ["auto", "light", "dark"] as const;
export type Theme = (typeof themes)[number];
export const densities = ["comfortable", "compact"] as const;
type Density = (typeof densities)[number];
/** `campaign`: a row of the list of threats is a campaign, or a threat without one; `none`: a row is a threat. */
export const groupings = ["campaign", "none"] as const;
export type Grouping = (typeof groupings)[number];

/**
 * How the console looks to a reader. Kept with the account, and in a cookie of the browser, which applies before the
 * sign-in and to an account that has saved none.
 */
export interface Preferences {
  theme: Theme;
  /** IANA name; undefined: not chosen, so UTC. */
  timeZone: string | undefined;
  density: Density;
  /** Whether single keys act (WCAG 2.2, 2.1.4). */
  shortcuts: boolean;
  grouping: Grouping;
}

const cookieName = "phishwatch_reader";
const cookieSeconds = 365 * 24 * 3600;
const separator = "|";

const noPreferences: Preferences = {
  theme: "auto",
  timeZone: undefined,
  density: "comfortable",
  shortcuts: true,
  grouping: "campaign",
};

/** Returns the `Set-Cookie` value that keeps the preferences. */
export function preferencesCookie(preferences: Preferences, secure: boolean): string {
  const value = Buffer.from(preferencesText(preferences)).toString("base64url");
  return cookie(cookieName, value, { secure, path: overviewPath, maxAgeSeconds: cookieSeconds });
}

/** Returns the text that is stored with an account. */
export function preferencesText(preferences: Preferences): string {
  const { theme, timeZone = "", density, shortcuts, grouping } = preferences;
  return [theme, timeZone, density, shortcuts ? "keys" : "no keys", grouping].join(separator);
}

/** @param saved text that is stored with the account. Until an account has a time zone, the browser's one applies */
export function preferencesOf(request: Request, saved?: string): Preferences {
  const value = readCookie(request, cookieName);
  const ofBrowser =
    value === undefined ? noPreferences : parsePreferences(Buffer.from(value, "base64url").toString());
  if (saved === undefined) return ofBrowser;
  const ofAccount = parsePreferences(saved);
  return { ...ofAccount, timeZone: ofAccount.timeZone ?? ofBrowser.timeZone };
}

function parsePreferences(text: string): Preferences {
  const [theme, timeZone, density, keys, grouping] = text.split(separator);
  return readPreferences({
    theme,
    timeZone,
    density,
    shortcuts: keys === "no keys" ? "no" : "yes",
    grouping,
  });
}

/** Returns preferences from their texts; the default in place of an unknown value. */
export function readPreferences(
  given: Record<"theme" | "timeZone" | "density" | "shortcuts" | "grouping", string | null | undefined>,
): Preferences {
  return {
    theme: themes.find((one) => one === given.theme) ?? noPreferences.theme,
    timeZone: timeZoneIn(given.timeZone),
    density: densities.find((one) => one === given.density) ?? noPreferences.density,
    shortcuts: given.shortcuts !== "no",
    grouping: groupings.find((one) => one === given.grouping) ?? noPreferences.grouping,
  };
}

/** Time zones to choose from. */
export function timeZones(): string[] {
  return [utc, ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== utc)];
}

const timeZoneForm = /^[A-Za-z][A-Za-z0-9_+/-]{0,39}$/;

/** Returns the IANA name of a time zone; undefined for any other text. */
export function timeZoneIn(text: string | null | undefined): string | undefined {
  if (typeof text !== "string" || !timeZoneForm.test(text)) return undefined;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: text }).format(0) === "" ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Returns what components need to know about the reader. */
export function readerOf({ timeZone = utc, density, shortcuts }: Preferences): Reader {
  return { timeZone, density, shortcuts, times: createReaderTimes(timeZone) };
}

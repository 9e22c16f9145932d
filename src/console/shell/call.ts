import type { Actor } from "../../access/audit/actor.ts";
import { readText, requireContentType } from "../../http/json-body.ts";
import { cookie, readCookie } from "./cookies.ts";
import type { Visitor } from "./door.ts";
import { themes, type Theme } from "./layout.tsx";
import { overviewPath } from "../kit/paths.ts";

/** A request that is being answered. */
export interface Call {
  request: Request;
  headers: Record<string, string>;
  address: string | undefined;
  path: string;
  query: URLSearchParams;
  visitor: Visitor | undefined;
}

/** Of pages that tell of an error. */
export const errorTitles: Record<number, string> = {
  400: "That cannot be done",
  403: "Not allowed",
  404: "Not found",
  500: "Something went wrong",
};

const themeCookie = "phishwatch_theme";
const themeCookieSeconds = 365 * 24 * 3600;

export function themeCookieOf(theme: Theme, secure: boolean): string {
  return cookie(themeCookie, theme, { secure, path: overviewPath, maxAgeSeconds: themeCookieSeconds });
}

export function themeOf(request: Request): Theme {
  const kept = readCookie(request, themeCookie);
  return themes.find((theme) => theme === kept) ?? "auto";
}

/** The one administrator. */
export function administrator(address: string | null | undefined): Actor {
  return { channel: "console", name: null, address: address ?? null };
}

const formBytesMax = 256 << 10;

export async function readForm(request: Request): Promise<URLSearchParams> {
  requireContentType(request, ["application/x-www-form-urlencoded"]);
  return new URLSearchParams(await readText(request, formBytesMax));
}

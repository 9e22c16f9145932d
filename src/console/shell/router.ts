/**
 * The web console: pages rendered on the server, usable without script.
 *
 * How to add a page
 * - One file for each group of pages (`threat-list.tsx`), which exports a `PageGroup`: its routes and its
 *   entry in the navigation. Put it into `page-groups.ts`, at its place in the navigation, and its addresses
 *   into `test/support/console-pages.ts`: there they are held to accessibility, weight, 360 px and dark, and
 *   `scripts/screenshots` takes their pictures.
 * - A handler takes a `Context` and answers `page(title, content)`, `redirect(path, flash?)`,
 *   `fragment(content)` or a `Response` (answers.ts). It runs for a signed-in administrator only; a POST got
 *   here with a right form token. What is wrong with the input is a `PublicError`: it becomes a page.
 * - A change is a POST that ends in a redirect; `<Form>` (form.tsx) puts the token in. What is to be shown
 *   once after the redirect (a secret, a result) goes through `context.handOver` and `context.takeOver`.
 *   What cannot be undone has a page of its own that asks first: `<Confirm>`.
 * - `context.by` is the actor that services and the audit log are given.
 * - Components stand in kit.tsx, table.tsx, form.tsx and name.tsx. All text is escaped by the renderer; text written by
 *   strangers goes through `<Text>`, `<Name>` or `visible()`, which show hidden characters. Never
 *   `dangerouslySetInnerHTML`, never a `style` attribute (the policy forbids it: use classes, and
 *   presentation attributes in SVG).
 * - Script (browser.js) is for comfort: `data-refresh`, `data-copy`, `data-key`, `data-select-all`, `data-row`,
 *   `data-upload`. An address that leads to another page comes from paths.ts.
 */
import type { Actor } from "../../access/audit/actor.ts";
import type { ConsoleSession } from "../../access/console/sessions.ts";
import type { Instant } from "../../lib/clock.ts";
import type { Answer } from "../kit/answers.ts";
import type { ConsoleServices } from "./services.ts";

/** A request for a page, and what answering it takes. */
export interface Context {
  services: ConsoleServices;
  request: Request;
  /** `/console/…`, without the query. */
  path: string;
  /** What stands for `:name` in the route's path, decoded. */
  params: Record<string, string>;
  query: URLSearchParams;
  /** The fields of a POST; empty for a GET and on a route that reads its body itself. */
  form: URLSearchParams;
  /** The administrator, with the address the request came from. */
  by: Actor;
  session: ConsoleSession;
  now: Instant;
  /** For the next page of this session, which shows it once. */
  handOver(name: string, value: unknown): void;
  takeOver<T>(name: string): T | undefined;
}

export interface Route {
  method: "GET" | "POST";
  /** `/console/threats/:id`; a parameter is a whole segment. */
  path: string;
  answer(context: Context): Answer | Promise<Answer>;
  /**
   * `raw`: the handler reads `context.request` itself, of any length; the form token then comes in the header
   * `x-form-token` or as `form_token` in the query. Default: a form of at most 256 KiB.
   */
  body?: "form" | "raw";
}

export interface PageGroup {
  /** Its entry in the navigation; absent: other pages lead to it. */
  nav?: { section: "main" | "settings"; label: string; path: string };
  routes: Route[];
}

export interface Found {
  route: Route;
  params: Record<string, string>;
}

/** Undefined: there is no such page, or nothing is done there by this method. */
export type FindRoute = (method: string, path: string) => Found | undefined;

/** @throws Error when two routes have the same method and path: the second would never be reached. */
export function createRouter(routes: readonly Route[]): FindRoute {
  const compiled = routes.map((route) => ({ route, segments: route.path.split("/") }));
  const seen = new Set<string>();
  for (const { method, path } of routes) {
    const key = `${method} ${path.replace(/:[^/]+/g, ":")}`;
    if (seen.has(key)) throw new Error(`two routes for ${key}`);
    seen.add(key);
  }
  // A segment that is written out goes before a parameter, whatever their order.
  compiled.sort((a, b) => parameters(a.segments) - parameters(b.segments));

  return (method, path) => {
    const given = path.split("/");
    for (const { route, segments } of compiled) {
      const params = matchSegments(segments, given);
      if (params !== undefined && route.method === method) return { route, params };
    }
    return undefined;
  };
}

function parameters(segments: readonly string[]): number {
  return segments.filter((segment) => segment.startsWith(":")).length;
}

function matchSegments(
  segments: readonly string[],
  given: readonly string[],
): Record<string, string> | undefined {
  if (segments.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const text = given[index]!;
    if (!segment.startsWith(":")) {
      if (segment !== text) return undefined;
      continue;
    }
    try {
      params[segment.slice(1)] = decodeURIComponent(text);
    } catch {
      return undefined;
    }
    if (text === "") return undefined;
  }
  return params;
}

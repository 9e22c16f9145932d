/**
 * The web console: pages rendered on the server, usable without scripts.
 *
 * How to add a page
 * - Pages live in `pages/<section>/`. A section exports a `PageGroup`: its entry in the navigation, and its routes. Add
 *   the group to `page-groups.ts` at its place in the navigation, and its addresses to
 *   `test/support/console-pages.ts`, where each page is checked for accessibility, weight, 360 px and dark mode, and
 *   from where `scripts/screenshots` takes the list of pages.
 * - A route names its method, path, and permission. `run` receives a `Context`, whose type names the services that the
 *   page uses: `Context<"feeds" | "imports">`. It returns `page(head, content)`,
 *   `redirect(path, flash?)`, `fragment(content)`, or a `Response` (page-result.ts). It runs only for a signed-in
 *   visitor whose role allows the permission; a POST has passed the CSRF check. Invalid input is a `PublicError`,
 *   which is rendered as a page.
 * - A change is a POST that calls its service within `context.write` and ends in a redirect. `<Form>` (form.tsx) adds
 *   the CSRF token, and gives its fields their values and errors by name. Values to show once after the redirect (a
 *   secret, a result) go through `context.putOnce` and `context.takeOnce`. An action that cannot be undone has its own
 *   page that asks for confirmation: `<Confirm>`. Explanations of terms are in help.json.
 * - `context.by` is the actor for services and the audit log.
 * - Components are in kit/. `PostButton` and `LinkButton` are not rendered when the visitor's role does not allow
 *   their target; for anything else, ask `context.may` or `usePage().may`. The renderer escapes all text. Text
 *   written by strangers goes through `<Text>`, `<Name>`, or `visible()`, which reveal hidden characters. Never use
 *   `dangerouslySetInnerHTML`, and never a `style` attribute, which the content security policy forbids: use
 *   classes, and presentation attributes in SVG.
 * - The script (browser/) adds convenience only: `data-refresh`, `data-fresh`, `data-copy`, `data-key`,
 *   `data-select-all`, `data-selected`, `data-row`, `data-row-key`, `data-group`, `data-expand`, `data-panel`,
 *   `data-compare`, `data-upload`. A GET form with `data-apply` needs no button: the page of its address replaces the
 *   content, except for the field that has the focus. Links to other pages take their address from paths.ts.
 */
import type { Account } from "../../../access/accounts/accounts.ts";
import type { Actor } from "../../../access/audit/actor.ts";
import type { ConsoleSession } from "../../../access/console/sessions.ts";
import type { Database } from "../../../platform/database/database.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import { PublicError } from "../../../platform/lib/errors.ts";
import { may, type Permission, type Role } from "../../../platform/vocabulary/permissions.ts";
import type { IconName } from "../kit/inline.tsx";
import type { PageResult } from "../kit/page-result.ts";
import type { Upload, UploadLimits } from "./multipart.ts";
import type { PageServices, ServiceName } from "./services.ts";

/** A request for a page, with the services that the page names, and no others. */
export interface Context<Name extends ServiceName = never> {
  services: Pick<PageServices, Name>;
  request: Request;
  /** `/console/…`, without the query. */
  path: string;
  /** Decoded values of the `:name` segments in the route's path. */
  params: Record<string, string>;
  query: URLSearchParams;
  /** Fields of a POST; empty for a GET and on a route that receives an upload. */
  form: URLSearchParams;
  /**
   * Reads the fields of an upload, the CSRF token among them; the file is still unread.
   * @throws PublicError `bad_request`
   */
  readUpload(limits: UploadLimits): Promise<Upload>;
  /** The signed-in account. */
  account: Account;
  /** The same account as an actor, with the address that the request came from. */
  by: Actor;
  /**
   * Runs a change as one transaction as soon as the database can be written. Every change by a route passes here, or
   * through `threats.decisions`: a service that is called directly would block all requests while another process writes.
   */
  write: Database["write"];
  /** Returns whether the visitor's role allows an action. */
  may(permission: Permission): boolean;
  session: ConsoleSession;
  now: Instant;
  /** Lets others take their turn. A page whose parts take milliseconds each calls it between them. */
  pause(): Promise<void>;
  /** Keeps a value for the next page of this session, which takes it once. */
  putOnce(name: string, value: unknown): void;
  takeOnce<T>(name: string): T | undefined;
}

/** Unless it names services, a route whose page can use any of them. */
export interface Route<Name extends ServiceName = ServiceName> {
  method: "GET" | "POST";
  /** `/console/threats/:id`; a parameter is a whole segment. */
  path: string;
  /** Required to open the page. The router checks it before `run`. */
  permission: Permission;
  /**
   * `upload`: `run` calls `context.readUpload`, which also checks the CSRF token, before it does anything else with the
   * body. Default: a form of at most 256 KiB.
   */
  body?: "form" | "upload";
  run(context: Context<Name>): PageResult | Promise<PageResult>;
}

/** Entry in the navigation. */
export interface NavigationEntry {
  section: "main" | "traps" | "notify" | "settings";
  label: string;
  path: string;
  icon: IconName;
  /** Keyboard shortcut: two keys, one after the other, such as `g t`. */
  keys?: string;
  /** Returns a mark beside the label. Every page shows it, so it must be cheap. */
  mark?: (services: PageServices) => NavigationMark | undefined;
}

/** A number, or a problem in words. */
export type NavigationMark = { count: number } | { problem: string };

/** The pages of one section. */
export interface PageGroup {
  /** Absent: other pages link to this group. */
  nav?: NavigationEntry | undefined;
  routes: readonly Route[];
}

/** @throws PublicError `forbidden` when the role does not allow the route. The only place that refuses a page. */
export function authorize(role: Role | undefined, { permission }: Pick<Route, "permission">): void {
  if (role !== undefined && may(role, permission)) return;
  throw new PublicError("forbidden", "Your role does not allow this. Ask an administrator.");
}

interface MatchedRoute {
  route: Route;
  params: Record<string, string>;
}

/** Returns undefined when no route has this method and path. */
export type FindRoute = (method: string, path: string) => MatchedRoute | undefined;

/** @throws Error when two routes have the same method and path: the second could never be reached. */
export function createRouter(routes: readonly Route[]): FindRoute {
  const compiled = routes.map((route) => ({ route, segments: route.path.split("/") }));
  const seen = new Set<string>();
  for (const { method, path } of routes) {
    const key = `${method} ${path.replace(/:[^/]+/g, ":")}`;
    if (seen.has(key)) throw new Error(`two routes for ${key}`);
    seen.add(key);
  }
  // Literal segments win over parameters. The order of the routes does not matter.
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

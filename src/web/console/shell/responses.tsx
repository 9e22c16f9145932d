import type { ComponentChildren, VNode } from "preact";
import { renderToString } from "preact-render-to-string";
import { databaseDamagedCode, databaseFileChangedCode } from "../../../platform/database/files/open-file.ts";
import { sqliteErrorCode } from "../../../platform/database/files/errors.ts";
import type { Needs } from "../../../platform/lib/needs.ts";
import type { Clock } from "../../../platform/lib/clock.ts";
import { logDropped, type Log } from "../../../platform/lib/log.ts";
import { sentence } from "../../../platform/lib/wording.ts";
import { may } from "../../../platform/vocabulary/permissions.ts";
import { describeError } from "../../http/errors.ts";
import { PageContextOf, type PageContext } from "../kit/page-context.ts";
import type { Flash } from "../kit/components.tsx";
import type { PageResult } from "../kit/page-result.ts";
import { overviewPath } from "../kit/paths.ts";
import type { Assets } from "./assets.ts";
import { Frame, Layout, type MarkedEntry } from "./layout.tsx";
import type { ConsoleRequest } from "./request.ts";
import type { FindRoute, NavigationEntry, NavigationMark, PageGroup } from "./router.ts";
import type { PageServices } from "./services.ts";
import type { SessionMemory } from "./session-memory.ts";
import { preferencesOf, readerOf, type Preferences } from "./reader.ts";

const errorTitles: Record<number, string> = {
  400: "Invalid request",
  403: "Forbidden",
  404: "Not found",
  429: "Too many requests",
  500: "Something went wrong",
};
/** Name of the message for the next page in the memory of the session. */
export const flashName = "flash";

/** Returns a function that describes the page of a request to its components. */
function createPageContext(given: {
  assets: Pick<Assets, "iconsPath">;
  clock: Clock;
  findRoute: FindRoute;
  preferences: (call: ConsoleRequest) => Preferences;
}) {
  const { assets, clock, findRoute, preferences } = given;
  return (call: ConsoleRequest): PageContext => {
    const { path, query, visitor } = call;
    const account = visitor?.account;
    const role = account?.role;
    return {
      path,
      query,
      account,
      iconsPath: assets.iconsPath,
      reader: readerOf(preferences(call)),
      csrfToken: visitor?.csrfToken ?? "",
      now: clock.now(),
      may: (permission) => role !== undefined && may(role, permission),
      mayOpen(method, target) {
        const found = findRoute(method, target.replace(/[?#].*$/s, ""));
        return found === undefined || (role !== undefined && may(role, found.route.permission));
      },
    };
  };
}

/** Returns a function that reads the preferences of the account, or of the browser before the sign-in. */
function preferencesReader({ preferences }: Pick<PageServices, "preferences">) {
  return ({ request, visitor }: ConsoleRequest): Preferences => {
    const account = visitor?.account;
    return preferencesOf(request, account && preferences.of(account.seq));
  };
}

/** Returns the mark beside an entry. What cannot be read must not take every page with it. */
function markOf(nav: NavigationEntry, services: PageServices, log: Log): NavigationMark | undefined {
  try {
    return nav.mark?.(services);
  } catch (error) {
    logDropped(log, error, "console.mark_not_counted");
    return undefined;
  }
}

/** Turns the results of pages into responses. */
export function createResponder(
  given: Needs<"clock" | "log"> & {
    assets: Assets;
    findRoute: FindRoute;
    groups: readonly PageGroup[];
    memory: SessionMemory;
    services: PageServices;
  },
) {
  const { assets, clock, findRoute, groups, log, memory, services } = given;
  const preferences = preferencesReader(services);
  const pageContext = createPageContext({ assets, clock, findRoute, preferences });

  function navigation(): MarkedEntry[] {
    return groups.flatMap(({ nav }) =>
      nav === undefined ? [] : [{ entry: nav, mark: markOf(nav, services, log) }],
    );
  }

  function html({ headers, visitor }: ConsoleRequest, text: string, status: number): Response {
    headers["content-type"] = "text/html; charset=utf-8";
    if (visitor?.setCookie !== undefined) headers["set-cookie"] = visitor.setCookie;
    return new Response(text, { status, headers });
  }

  function redirect({ headers }: ConsoleRequest, to: string): Response {
    headers["location"] = to;
    return new Response(null, { status: 303, headers });
  }

  function page(
    call: ConsoleRequest,
    title: string,
    content: ComponentChildren,
    status: number,
    { beside, alone = false }: { beside?: VNode | null | undefined; alone?: boolean } = {},
  ): Response {
    const session = call.visitor?.session;
    const frame = { title, assets, theme: preferences(call).theme, context: pageContext(call) };
    const flash = takeFlash(call, memory);
    const document =
      session === undefined ? (
        <Frame {...frame}>
          <div class="alone">{content}</div>
        </Frame>
      ) : (
        <Layout {...frame} navigation={alone ? undefined : navigation()} flash={flash} beside={beside}>
          {content}
        </Layout>
      );
    return html(call, `<!doctype html>\n${renderToString(document)}`, status);
  }

  /** Sends what a route of a signed-in visitor returned. */
  function send(call: ConsoleRequest, result: PageResult): Response {
    if (result instanceof Response) {
      for (const [name, value] of Object.entries(call.headers)) {
        if (!result.headers.has(name)) result.headers.set(name, value);
      }
      return result;
    }
    switch (result.kind) {
      case "redirect":
        if (result.cookie !== undefined) call.headers["set-cookie"] = result.cookie;
        if (result.flash !== undefined) memory.put(call.visitor!.session!.seq, flashName, result.flash);
        return redirect(call, result.to);
      case "fragment": {
        const content = (
          <PageContextOf.Provider value={pageContext(call)}>{result.content}</PageContextOf.Provider>
        );
        return html(call, renderToString(content), 200);
      }
      case "page":
        return page(call, result.title, result.content, result.status, result);
    }
  }

  /** Renders an error as a page; an unexpected one is logged and shown with the request id only. */
  function error(call: ConsoleRequest, thrown: unknown): Response {
    const { request, headers, path } = call;
    const where = { id: headers["x-request-id"]!, method: request.method, path };
    const { status, body, retryAfterSeconds } = describeError(thrown, where, log);
    if (retryAfterSeconds !== undefined) headers["retry-after"] = String(retryAfterSeconds);
    const title = errorTitles[status] ?? "Something went wrong";
    const message = describeStorageError(thrown) ?? sentence(body.error.message);
    if (request.headers.has("x-fragment")) return plainText(call, message, status);
    const requestId = status === 500 ? where.id : undefined;
    return page(call, title, <ErrorPage title={title} message={message} requestId={requestId} />, status);
  }

  return { html, redirect, page, send, error };
}

/** Returns the message for the next page. Pages that the script fetches in the background leave it to others. */
function takeFlash({ request, visitor }: ConsoleRequest, memory: SessionMemory): Flash | undefined {
  const session = visitor?.session;
  if (session === undefined || request.headers.has("x-fragment")) return undefined;
  return memory.take(session.seq, flashName) as Flash | undefined;
}

/** For the script, which shows the message above the page. */
function plainText({ headers }: ConsoleRequest, text: string, status: number): Response {
  headers["content-type"] = "text/plain; charset=utf-8";
  return new Response(text, { status, headers });
}

/** Describes what an operator can solve. The API's clients cannot, so its responses do not contain it. */
function describeStorageError(error: unknown): string | undefined {
  switch (sqliteErrorCode(error)) {
    case "SQLITE_FULL":
      return "The disk of the appliance is full, so nothing was changed. Make room on it, then try again.";
    case databaseFileChangedCode:
      return "The database file was changed from outside, so nothing was changed. The log of the appliance says what to do.";
    case databaseDamagedCode:
      return "The database file is damaged, so nothing was changed. The page System says what to do.";
    default:
      return undefined;
  }
}

export type Responder = ReturnType<typeof createResponder>;

function ErrorPage(props: { title: string; message: string; requestId: string | undefined }) {
  const { title, message, requestId } = props;
  return (
    <section class="card narrow">
      <h1>{title}</h1>
      <p>{message}</p>
      {requestId === undefined ? null : (
        <p class="hint">
          Request ID <code>{requestId}</code>
        </p>
      )}
      <p>
        <a href={overviewPath}>Go to the overview</a>
      </p>
    </section>
  );
}

import type { VNode } from "preact";
import { renderToString } from "preact-render-to-string";
import { describeError } from "../http/errors.ts";
import type { AnswerConsole } from "../api/server.ts";
import { badRequest, notFound, PublicError } from "../lib/errors.ts";
import { logDropped } from "../lib/log.ts";
import { sentence } from "../lib/wording.ts";
import type { Answer, Flash } from "./kit/answers.ts";
import { createAssets } from "./shell/assets.ts";
import { administrator, type Call, errorTitles, readForm, themeCookieOf, themeOf } from "./shell/call.ts";
import { comesFromOurPages, createDoor, ownPath, type Visitor } from "./shell/door.ts";
import { Frame, Layout, themes } from "./shell/layout.tsx";
import { PageContextOf } from "./kit/page-context.ts";
import { pageGroups } from "./page-groups.ts";
import { assetsPath, overviewPath, signInPath, signOutPath, themePath } from "./kit/paths.ts";
import { createRouter, type Context, type Route } from "./shell/router.ts";
import type { ConsoleServices } from "./shell/services.ts";
import { createSessionMemory } from "./shell/session-memory.ts";
import { ArrivalPage, ErrorPage, passwordLengthMax, SignInPage } from "./shell/sign-in-page.tsx";

// Nothing from elsewhere, and nothing that stands in a page itself; the data addresses are the base sheet's icons.
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const flashName = "flash";

export function createConsole(services: ConsoleServices): AnswerConsole {
  const { auditLog, clock, config, consolePassword, log, sessions, throttle } = services;
  // Read while somebody types the password: among a million threats it takes seconds.
  services
    .threatSearch()
    .prepare()
    .catch((error: unknown) => logDropped(log, error, "the threats could not be read for the list"));
  const assets = createAssets();
  const door = createDoor({ sessions, fillRandom: services.fillRandom });
  const memory = createSessionMemory();
  const routes: Route[] = [
    ...pageGroups.flatMap((group) => group.routes),
    { method: "POST", path: signOutPath, answer: signOut },
    { method: "POST", path: themePath, answer: ({ form }) => changeTheme(form) },
  ];
  const findRoute = createRouter(routes);
  const secure = config.server.tls !== null || config.server.publicUrl.startsWith("https:");
  // Asked once: the configured password can only be another one after a new start.
  let passwordSeen: Promise<void> | undefined;

  async function endOldSessions(): Promise<void> {
    if (await consolePassword.hasChanged()) sessions.endAll();
  }

  async function answer(call: Call): Promise<Response> {
    const { request, headers, path } = call;
    headers["content-security-policy"] = policy;
    headers["referrer-policy"] = "same-origin";
    headers["x-frame-options"] = "DENY";
    headers["cross-origin-opener-policy"] = "same-origin";
    const asset = path.startsWith(`${assetsPath}/`) ? path.slice(assetsPath.length + 1) : undefined;
    if (asset !== undefined) {
      const encoding = request.headers.get("accept-encoding");
      return assets.answer(asset, encoding, headers) ?? refuse(call, noSuchPage());
    }
    await (passwordSeen ??= endOldSessions().catch((error: unknown) => {
      passwordSeen = undefined;
      throw error;
    }));
    call.visitor = door.look(request, secure);
    if (path === `${overviewPath}/`) return go(call, overviewPath);
    const reads = request.method === "GET" || request.method === "HEAD";
    if (!reads && !comesFromOurPages(request.headers, services.publicUrl())) {
      throw new PublicError(
        "forbidden",
        "This form was sent from another site. Open the console itself and do it there.",
      );
    }
    if (path === signInPath) return reads ? showSignIn(call, ownPath(call.query.get("to"))) : signIn(call);
    if (call.visitor.session === undefined) return sendToSignIn(call, reads);
    return answerSignedIn(call, call.visitor, reads ? "GET" : request.method);
  }

  async function answerSignedIn(call: Call, { session }: Visitor, method: string): Promise<Response> {
    const { request, path, query, address } = call;
    const found = findRoute(method, path);
    if (found === undefined) throw noSuchPage();
    const raw = found.route.body === "raw";
    const form = method === "GET" || raw ? new URLSearchParams() : await readForm(request);
    if (method !== "GET") {
      const given = raw
        ? (request.headers.get("x-form-token") ?? query.get("form_token"))
        : form.get("form_token");
      requireFormToken(given, call.visitor!);
      form.delete("form_token");
    }
    const { seq } = session!;
    const context: Context = {
      services,
      request,
      path,
      query,
      form,
      params: found.params,
      by: administrator(address),
      session: session!,
      now: clock.now(),
      handOver: (name, value) => memory.put(seq, name, value),
      takeOver: <T,>(name: string) => memory.take(seq, name) as T | undefined,
    };
    return send(call, await found.route.answer(context));
  }

  function send(call: Call, given: Answer): Response {
    const { headers } = call;
    if (given instanceof Response) {
      for (const [name, value] of Object.entries(headers)) {
        if (!given.headers.has(name)) given.headers.set(name, value);
      }
      return given;
    }
    if (given.kind === "redirect") {
      if (given.flash !== undefined) memory.put(call.visitor!.session!.seq, flashName, given.flash);
      return go(call, given.to);
    }
    if (given.kind === "fragment") {
      const content = (
        <PageContextOf.Provider value={pageContext(call)}>{given.content}</PageContextOf.Provider>
      );
      return html(call, renderToString(content), 200);
    }
    return showPage(call, given.title, given.content, given.status);
  }

  function showPage(call: Call, title: string, content: VNode, status: number): Response {
    const session = call.visitor?.session;
    const frame = { title, assets, theme: themeOf(call.request), context: pageContext(call) };
    const flash =
      session === undefined ? undefined : (memory.take(session.seq, flashName) as Flash | undefined);
    const document =
      session === undefined ? (
        <Frame {...frame} look="bare">
          {content}
        </Frame>
      ) : (
        <Layout {...frame} groups={pageGroups} flash={flash} version={services.build.version}>
          {content}
        </Layout>
      );
    return html(call, `<!doctype html>\n${renderToString(document)}`, status);
  }

  const pageContext = ({ path, visitor }: Call) => ({
    path,
    formToken: visitor?.formToken ?? "",
    now: clock.now(),
  });

  function html({ headers, visitor }: Call, text: string, status: number): Response {
    headers["content-type"] = "text/html; charset=utf-8";
    if (visitor?.setCookie !== undefined) headers["set-cookie"] = visitor.setCookie;
    return new Response(text, { status, headers });
  }

  function go({ headers }: Call, to: string): Response {
    headers["location"] = to;
    return new Response(null, { status: 303, headers });
  }

  function sendToSignIn(call: Call, reads: boolean): Response {
    const { request, path, query } = call;
    const search = query.size === 0 ? "" : `?${query}`;
    const to = ownPath(`${path}${search}`);
    if (request.headers.has("x-fragment")) return html(call, "", 401);
    if (!reads)
      return showSignIn(
        call,
        overviewPath,
        "You were signed out, and nothing was changed. Sign in and do it again.",
        401,
      );
    const arrives = request.headers.get("sec-fetch-site") === "cross-site";
    if (arrives) return showPage(call, "Console", <ArrivalPage to={to} />, 200);
    return go(call, to === overviewPath ? signInPath : `${signInPath}?to=${encodeURIComponent(to)}`);
  }

  function showSignIn(call: Call, to: string, message?: string, status = 200): Response {
    if (call.visitor!.session !== undefined) return go(call, to);
    const content = <SignInPage to={to} message={message} exists={consolePassword.exists()} />;
    return showPage(call, "Sign in", content, status);
  }

  async function signIn(call: Call): Promise<Response> {
    const { request, headers, address = null } = call;
    const form = await readForm(request);
    const to = ownPath(form.get("to"));
    if (!door.isFormToken(form.get("form_token"), call.visitor!))
      return showSignIn(call, to, "This page was too old. Enter the password once more.", 400);
    const waitSeconds = throttle.take(address);
    if (waitSeconds > 0) {
      headers["retry-after"] = String(waitSeconds);
      const wait = waitSeconds > 90 ? `${Math.ceil(waitSeconds / 60)} minutes` : `${waitSeconds} seconds`;
      return showSignIn(call, to, `Too many attempts. Try again in ${wait}.`, 429);
    }
    const password = form.get("password") ?? "";
    const by = administrator(address);
    if (password.length > passwordLengthMax || !(await consolePassword.verify(password))) {
      auditLog.record(by, "console.sign_in_failed", null);
      log.warn({ client: address }, "a sign-in to the console failed");
      return showSignIn(call, to, "That is not the password.", 401);
    }
    throttle.forgive(address);
    const userAgent = request.headers.get("user-agent") ?? "";
    const token = services.database.transaction(() => {
      auditLog.record(by, "console.sign_in", null);
      return sessions.start({ address, userAgent }).token;
    });
    headers["set-cookie"] = door.keep(token, secure);
    return go(call, to);
  }

  function signOut({ form, session, by }: Context): Answer {
    const everywhere = form.get("everywhere") === "yes";
    services.database.transaction(() => {
      auditLog.record(by, everywhere ? "console.sign_out_everywhere" : "console.sign_out", null);
      if (everywhere) sessions.endAll();
      else sessions.end(session);
    });
    memory.forget(session.seq);
    const headers = { location: signInPath, "set-cookie": door.drop(secure) };
    return new Response(null, { status: 303, headers });
  }

  function changeTheme(form: URLSearchParams): Answer {
    const theme = themes.find((one) => one === form.get("theme")) ?? "auto";
    const headers = { location: ownPath(form.get("to")), "set-cookie": themeCookieOf(theme, secure) };
    return new Response(null, { status: 303, headers });
  }

  function requireFormToken(given: string | null, visitor: Visitor): void {
    if (door.isFormToken(given, visitor)) return;
    throw badRequest("This form was too old. Go back, load the page again and repeat it.");
  }

  function refuse(call: Call, error: unknown): Response {
    const { request, headers, path } = call;
    const where = { id: headers["x-request-id"]!, method: request.method, path };
    const { status, body } = describeError(error, where, log);
    const title = errorTitles[status] ?? "That did not work";
    const message = sentence(body.error.message);
    const requestId = status === 500 ? where.id : undefined;
    return showPage(call, title, <ErrorPage title={title} message={message} requestId={requestId} />, status);
  }

  return async (request, headers, address) => {
    const { pathname: path, searchParams: query } = new URL(request.url);
    const call: Call = { request, headers, address, path, query, visitor: undefined };
    try {
      return await answer(call);
    } catch (error) {
      return refuse(call, error);
    }
  };
}

function noSuchPage(): PublicError {
  return notFound("There is no such page.");
}

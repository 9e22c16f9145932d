import type { Log } from "../../lib/log.ts";
import { overviewPath, signInPath } from "../kit/paths.ts";
import type { PageResult } from "../kit/page-result.ts";
import { administrator, readForm, type ConsoleRequest } from "./request.ts";
import type { Responder } from "./responses.tsx";
import type { Context } from "./router.ts";
import type { ConsoleServices } from "./services.ts";
import type { SessionMemory } from "./session-memory.ts";
import { ArrivalPage, passwordLengthMax, SignInPage } from "./sign-in-page.tsx";
import { isCsrfToken, ownPath, type Visitors } from "./visitors.ts";

/** Signs visitors in and out. */
export function createSignIn({
  auditLog,
  consolePassword,
  database,
  log,
  memory,
  responder,
  sessions,
  throttle,
  visitors,
}: Pick<ConsoleServices, "auditLog" | "consolePassword" | "database" | "sessions" | "throttle"> & {
  log: Log;
  memory: SessionMemory;
  responder: Responder;
  visitors: Visitors;
}) {
  function showForm(
    call: ConsoleRequest,
    to: string,
    { message, status = 200 }: { message?: string; status?: number } = {},
  ): Response {
    if (call.visitor!.session !== undefined) return responder.redirect(call, to);
    const content = <SignInPage to={to} message={message} exists={consolePassword.exists()} />;
    return responder.page(call, "Sign in", content, status);
  }

  async function signIn(call: ConsoleRequest): Promise<Response> {
    const { request, headers, address = null } = call;
    const form = await readForm(request);
    const to = ownPath(form.get("to"));
    if (!isCsrfToken(form.get("form_token"), call.visitor!))
      return showForm(call, to, {
        message: "This page was too old. Enter the password once more.",
        status: 400,
      });
    const waitSeconds = throttle.take(address);
    if (waitSeconds > 0) {
      headers["retry-after"] = String(waitSeconds);
      const wait = waitSeconds > 90 ? `${Math.ceil(waitSeconds / 60)} minutes` : `${waitSeconds} seconds`;
      return showForm(call, to, { message: `Too many attempts. Try again in ${wait}.`, status: 429 });
    }
    const password = form.get("password") ?? "";
    const by = administrator(address);
    if (password.length > passwordLengthMax || !(await consolePassword.verify(password))) {
      auditLog.record(by, "console.sign_in_failed", null);
      log.warn({ client: address }, "a sign-in to the console failed");
      return showForm(call, to, { message: "That is not the password.", status: 401 });
    }
    throttle.forgive(address);
    const userAgent = request.headers.get("user-agent") ?? "";
    const token = database.transaction(() => {
      auditLog.record(by, "console.sign_in", null);
      return sessions.start({ address, userAgent }).token;
    });
    headers["set-cookie"] = visitors.sessionCookie(token);
    return responder.redirect(call, to);
  }

  /** Responds to a request without a session. */
  function requireSignIn(call: ConsoleRequest, isRead: boolean): Response {
    const { request, path, query } = call;
    const search = query.size === 0 ? "" : `?${query}`;
    const to = ownPath(`${path}${search}`);
    if (request.headers.has("x-fragment")) return responder.html(call, "", 401);
    if (!isRead)
      return showForm(call, overviewPath, {
        message: "You were signed out, and nothing was changed. Sign in and do it again.",
        status: 401,
      });
    const isFromElsewhere = request.headers.get("sec-fetch-site") === "cross-site";
    if (isFromElsewhere) return responder.page(call, "Console", <ArrivalPage to={to} />, 200);
    return responder.redirect(
      call,
      to === overviewPath ? signInPath : `${signInPath}?to=${encodeURIComponent(to)}`,
    );
  }

  function signOut({ session, by }: Context): PageResult {
    database.transaction(() => {
      auditLog.record(by, "console.sign_out", null);
      sessions.end(session);
    });
    return leave(session.seq);
  }

  function signOutEverywhere({ session, by }: Context): PageResult {
    database.transaction(() => {
      auditLog.record(by, "console.sign_out_everywhere", null);
      sessions.endAll();
    });
    return leave(session.seq);
  }

  function leave(session: number): Response {
    memory.forget(session);
    const headers = { location: signInPath, "set-cookie": visitors.expiredSessionCookie() };
    return new Response(null, { status: 303, headers });
  }

  return { showForm, signIn, requireSignIn, signOut, signOutEverywhere };
}

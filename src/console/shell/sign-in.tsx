import { overviewPath, signInPath } from "../kit/paths.ts";
import { preferencesCookie, preferencesOf, timeZoneIn } from "./reader.ts";
import { consoleActor, formBytesMax, readForm, type ConsoleRequest } from "./request.ts";
import type { Responder } from "./responses.tsx";
import type { ConsoleServices } from "./services.ts";
import { ArrivalPage, SignInPage } from "./sign-in-page.tsx";
import { isCsrfToken, ownPath, type Visitors } from "./visitors.ts";

const toLengthMax = 500;

/** Signs visitors in. */
export function createSignIn({
  consoleSignIn,
  homePath,
  responder,
  secure,
  visitors,
}: Pick<ConsoleServices, "consoleSignIn"> & {
  /** Returns the page after a sign-in for no particular page. */
  homePath: () => string;
  responder: Responder;
  /** Restricts cookies to HTTPS. */
  secure: () => boolean;
  visitors: Visitors;
}) {
  function showForm(
    call: ConsoleRequest,
    to: string,
    { message, status = 200 }: { message?: string; status?: number } = {},
  ): Response {
    if (call.visitor!.session !== undefined) return responder.redirect(call, to);
    // The form with this path and a password has to stay below its maximum size.
    const kept = to.length > toLengthMax ? overviewPath : to;
    const content = <SignInPage to={kept} message={message} exists={consoleSignIn.hasPassword()} />;
    return responder.page(call, "Sign in", content, status);
  }

  async function signIn(call: ConsoleRequest): Promise<Response> {
    const { request, headers, address } = call;
    const form = await readForm(call, formBytesMax.signedOut);
    const to = ownPath(form.get("to"));
    if (!isCsrfToken(form.get("form_token"), call.visitor!))
      return showForm(call, to, {
        message: "This page expired. Enter the password again.",
        status: 400,
      });
    const password = form.get("password") ?? "";
    const userAgent = request.headers.get("user-agent") ?? "";
    const by = consoleActor(null, address);
    const { csrfToken: visit, deviceMark } = call.visitor!;
    const result = await consoleSignIn.signIn({ password, userAgent, visit, deviceMark }, { by });
    if (result.outcome === "busy") {
      headers["retry-after"] = String(result.retryAfterSeconds);
      const message = `Many others are trying to sign in, so the password was not checked. Try again in ${result.retryAfterSeconds} seconds.`;
      return showForm(call, to, { message, status: 429 });
    }
    if (result.outcome === "wrong_password")
      return showForm(call, to, { message: "Incorrect password.", status: 401 });
    headers["set-cookie"] = visitors.sessionCookie(result.token);
    const response = responder.redirect(call, to === overviewPath ? homePath() : to);
    response.headers.append("set-cookie", visitors.deviceCookie(result.deviceMark));
    const preferences = preferencesOf(request);
    const timeZone = timeZoneIn(form.get("time_zone"));
    if (preferences.timeZone === undefined && timeZone !== undefined)
      response.headers.append("set-cookie", preferencesCookie({ ...preferences, timeZone }, secure()));
    return response;
  }

  /** Responds to a request without a session. */
  function requireSignIn(call: ConsoleRequest, isRead: boolean): Response {
    const { request, path, query } = call;
    const search = query.size === 0 ? "" : `?${query}`;
    const to = ownPath(`${path}${search}`);
    if (request.headers.has("x-fragment")) return responder.html(call, "", 401);
    if (!isRead)
      return showForm(call, overviewPath, {
        message: "You were signed out. No changes were made. Sign in and try again.",
        status: 401,
      });
    const isFromElsewhere = request.headers.get("sec-fetch-site") === "cross-site";
    if (isFromElsewhere) return responder.page(call, "Console", <ArrivalPage to={to} />, 200);
    return responder.redirect(
      call,
      to === overviewPath ? signInPath : `${signInPath}?to=${encodeURIComponent(to)}`,
    );
  }

  return { showForm, signIn, requireSignIn };
}

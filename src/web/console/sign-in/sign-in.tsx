import { accountNameCharactersMax } from "../../../access/accounts/account-names.ts";
import type { SignedIn } from "../../../access/console/sign-in-steps.ts";
import { overviewPath, signInPath } from "../kit/paths.ts";
import { preferencesCookie, preferencesOf, timeZoneIn } from "../shell/reader.ts";
import { consoleActor, formBytesMax, readForm, type ConsoleRequest, visitorOf } from "../shell/request.ts";
import type { Responder } from "../shell/responses.tsx";
import type { ConsoleServices } from "../shell/services.ts";
import { isCsrfToken, ownPath, type Visitors } from "../shell/visitors.ts";
import { FormError } from "../kit/components.tsx";
import { Button, Form, HiddenFields, TextField } from "../kit/form.tsx";
import { Brand } from "../shell/layout.tsx";
import { createCodeStep } from "./code-step.tsx";
import { PasswordField } from "./password-field.tsx";

const toLengthMax = 500;

/** Signs visitors in. */
export function createSignIn(
  given: Pick<ConsoleServices, "consoleSignIn"> & {
    /** Returns the page after a sign-in for no particular page. */
    homePath: () => string;
    responder: Responder;
    /** Restricts cookies to HTTPS. */
    secure: () => boolean;
    visitors: Visitors;
  },
) {
  const { consoleSignIn, homePath, responder, secure, visitors } = given;
  function showForm(
    call: ConsoleRequest,
    to: string,
    { message, status = 200, name }: { message?: string; status?: number; name?: string } = {},
  ): Response {
    if (visitorOf(call).session !== undefined) return responder.redirect(call, to);
    // The form with this path and a password has to stay below its maximum size.
    const kept = to.length > toLengthMax ? overviewPath : to;
    const onlyName = consoleSignIn.onlyName();
    const content = (
      <SignInPage
        to={kept}
        message={message}
        exists={consoleSignIn.hasPassword()}
        name={name ?? onlyName ?? ""}
        isOnly={onlyName !== undefined}
      />
    );
    return responder.page(call, "Sign in", content, status);
  }

  const welcome = createWelcome({ secure, visitors });
  const { showCodeForm, signInWithCode } = createCodeStep({ consoleSignIn, responder, showForm, welcome });

  async function signIn(call: ConsoleRequest): Promise<Response> {
    const { request, headers, address } = call;
    const form = await readForm(call, formBytesMax.signedOut);
    const to = ownPath(form.get("to"));
    if (!isCsrfToken(form.get("form_token"), visitorOf(call)))
      return showForm(call, to, {
        message: "This page expired. Enter the password again.",
        status: 400,
      });
    // Keyboards of phones add a space after a word that they complete.
    const name = (form.get("name") ?? "").trim();
    const password = form.get("password") ?? "";
    const userAgent = request.headers.get("user-agent") ?? "";
    const by = consoleActor(null, address);
    const { csrfToken: visit, deviceMark } = visitorOf(call);
    const result = await consoleSignIn.signIn({ name, password, userAgent, visit, deviceMark }, { by });
    switch (result.outcome) {
      case "busy": {
        headers["retry-after"] = String(result.retryAfterSeconds);
        const message = `Many others are trying to sign in, so the password was not checked. Try again in ${result.retryAfterSeconds} seconds.`;
        return showForm(call, to, { message, status: 429, name: shownName(name) });
      }
      case "wrong_password":
        return showForm(call, to, {
          message: "Incorrect name or password.",
          status: 401,
          name: shownName(name),
        });
      case "code_needed":
        return showCodeForm(call, { pending: result.pending, to });
      case "signed_in":
        return welcome(
          call,
          responder.redirect(call, to === overviewPath ? homePath() : to),
          result,
          timeZoneIn(form.get("time_zone")),
        );
    }
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

  return { showForm, signIn, signInWithCode, requireSignIn };
}

/** Returns a name to show in the form again; nothing in place of what cannot be one. */
function shownName(name: string): string {
  return name.slice(0, accountNameCharactersMax);
}

/** Returns a function that adds the cookies of a new session to a response. */
function createWelcome({ secure, visitors }: { secure: () => boolean; visitors: Visitors }) {
  return (
    { request }: ConsoleRequest,
    response: Response,
    { token, deviceMark }: SignedIn,
    timeZone?: string,
  ): Response => {
    response.headers.append("set-cookie", visitors.sessionCookie(token));
    response.headers.append("set-cookie", visitors.deviceCookie(deviceMark));
    const preferences = preferencesOf(request);
    if (preferences.timeZone === undefined && timeZone !== undefined)
      response.headers.append("set-cookie", preferencesCookie({ ...preferences, timeZone }, secure()));
    return response;
  };
}

function SignInPage(props: {
  /** Path to continue with after sign-in. */
  to: string;
  message: string | undefined;
  /** Whether a password exists. */
  exists: boolean;
  /** Name to start with; empty: none. */
  name: string;
  /** Whether there is only one account. */
  isOnly: boolean;
}) {
  const { to, message, exists, name, isOnly } = props;
  return (
    <main class="card stack">
      <h1>
        <Brand />
      </h1>
      <FormError message={message} />
      <Form action={signInPath} class="stack">
        <HiddenFields fields={{ to, time_zone: "" }} />
        <TextField
          label="Name"
          name="name"
          value={name}
          autocomplete="username"
          maxLength={accountNameCharactersMax}
          required
          autofocus={name === ""}
        />
        <PasswordField
          label="Password"
          name="password"
          autocomplete="current-password"
          autofocus={name !== ""}
          hint={passwordHint({ exists, isOnly })}
        />
        <Button label="Sign in" variant="primary" />
      </Form>
    </main>
  );
}

function passwordHint({ exists, isOnly }: { exists: boolean; isOnly: boolean }): string {
  if (!exists) return "No password exists yet. One is created when the appliance starts.";
  if (!isOnly) return "If you lost it, ask an administrator for a link to choose another one.";
  return "Created at the first start, unless the configuration file sets console.password. If you lost it, run 'phishwatch users reset admin'.";
}

/**
 * Shown when a visitor arrives from another site: the session cookie is not sent with such a request
 * (SameSite=Strict). This page repeats the request from the console itself, so that it is sent.
 */
function ArrivalPage({ to }: { to: string }) {
  return (
    <main class="card stack">
      <meta http-equiv="refresh" content={`0;url=${to}`} />
      <h1>
        <Brand />
      </h1>
      <p>
        <a href={to}>Continue to the console</a>
      </p>
    </main>
  );
}

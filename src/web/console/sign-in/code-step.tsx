import type { SignedIn } from "../../../access/console/sign-in-steps.ts";
import { codeUri, readableSecret } from "../../../access/accounts/one-time-codes.ts";
import { signInPath, signInCodePath } from "../kit/paths.ts";
import { consoleActor, formBytesMax, readForm, type ConsoleRequest, visitorOf } from "../shell/request.ts";
import type { Responder } from "../shell/responses.tsx";
import type { ConsoleServices } from "../shell/services.ts";
import { isCsrfToken, ownPath } from "../shell/visitors.ts";
import { FormError } from "../kit/components.tsx";
import { Button, Form, HiddenFields, TextField } from "../kit/form.tsx";
import { CodeSecret, RecoveryCodes } from "./code-parts.tsx";

const messages = {
  wrong_code:
    "Incorrect code. Enter the one that the authenticator shows now, and check the time of the phone.",
  used_code: "This code has been used. Wait until the authenticator shows the next one.",
  too_many_codes:
    "Too many wrong codes were entered for this account. Use a recovery code, sign in with a browser that has signed in to this account before, or try again in 5 minutes.",
} as const;

const expiredMessage = "This sign-in expired. Enter the password again.";

/** The second step of a sign-in, for accounts with one-time codes. */
export function createCodeStep(
  given: Pick<ConsoleServices, "consoleSignIn"> & {
    responder: Responder;
    /** Shows the first step. */
    showForm: (call: ConsoleRequest, to: string, options: { message: string; status: number }) => Response;
    /** Returns the response with the cookies of the new session. */
    welcome: (call: ConsoleRequest, response: Response, signedIn: SignedIn) => Response;
  },
) {
  const { consoleSignIn, responder, showForm, welcome } = given;
  /** Shows the form for the code. */
  function showCodeForm(
    call: ConsoleRequest,
    { pending, to }: { pending: string; to: string },
    { message, status = 200 }: { message?: string; status?: number } = {},
  ): Response {
    const found = consoleSignIn.pendingOf(pending, visitorOf(call).csrfToken);
    if (found === undefined) return showForm(call, to, { message: expiredMessage, status: 401 });
    const { account, newSecret } = found;
    const form = { pending, to, message };
    const content =
      newSecret === undefined ? (
        <CodePage {...form} />
      ) : (
        <EnrollPage {...form} name={account.name} secret={newSecret} />
      );
    return responder.page(call, "Sign in", content, status);
  }

  async function signInWithCode(call: ConsoleRequest): Promise<Response> {
    if (visitorOf(call).session !== undefined) return responder.redirect(call, signInPath);
    const form = await readForm(call, formBytesMax.signedOut);
    const to = ownPath(form.get("to"));
    const pending = form.get("pending") ?? "";
    if (!isCsrfToken(form.get("form_token"), visitorOf(call)))
      return showForm(call, to, { message: expiredMessage, status: 400 });
    const { csrfToken: visit, deviceMark } = visitorOf(call);
    const result = await consoleSignIn.signInWithCode(
      {
        pending,
        code: form.get("code") ?? "",
        userAgent: call.request.headers.get("user-agent") ?? "",
        visit,
        deviceMark,
      },
      { by: consoleActor(null, call.address) },
    );
    switch (result.outcome) {
      case "signed_in": {
        const codes = result.recoveryCodes;
        const response =
          codes === undefined
            ? responder.redirect(call, to)
            : responder.page(call, "Recovery codes", <NewRecoveryCodesPage codes={codes} to={to} />, 200);
        return welcome(call, response, result);
      }
      case "expired":
        return showForm(call, to, { message: expiredMessage, status: 401 });
      case "busy": {
        call.headers["retry-after"] = String(result.retryAfterSeconds);
        const message = `Many others are trying to sign in, so the code was not checked. Try again in ${result.retryAfterSeconds} seconds.`;
        return showCodeForm(call, { pending, to }, { message, status: 429 });
      }
      default: {
        const status = result.outcome === "too_many_codes" ? 429 : 401;
        return showCodeForm(call, { pending, to }, { message: messages[result.outcome], status });
      }
    }
  }

  return { showCodeForm, signInWithCode };
}

interface CodeForm {
  /** Identifies the sign-in. */
  pending: string;
  /** Path to continue with after sign-in. */
  to: string;
  message: string | undefined;
}

/** The second step of a sign-in: a code of the authenticator, or a recovery code. */
function CodePage({ pending, to, message }: CodeForm) {
  return (
    <main class="card stack">
      <h1>Enter a code</h1>
      <FormError message={message} />
      <CodeField
        pending={pending}
        to={to}
        hint="The 6 digits that your authenticator shows now, or one of your recovery codes. If you have neither, ask an administrator to remove the one-time codes from your account."
      />
      <p>
        <a href={signInPath}>Start again</a>
      </p>
    </main>
  );
}

/** The second step of a first sign-in if `console.require_codes` is set: set up an authenticator. */
function EnrollPage(props: CodeForm & { /** Name of the account. */ name: string; secret: string }) {
  const { pending, to, message, name, secret } = props;
  const uri = codeUri(secret, { name, issuer: "phishwatch" });
  return (
    <main class="card stack">
      <h1>Set up one-time codes</h1>
      <p>
        This console asks for a code after the password. Scan this with an authenticator, or enter the secret
        by hand.
      </p>
      <FormError message={message} />
      <CodeSecret secret={readableSecret(secret)} uri={uri} />
      <CodeField pending={pending} to={to} hint="The 6 digits that the authenticator shows now." />
    </main>
  );
}

function CodeField({ pending, to, hint }: Omit<CodeForm, "message"> & { hint: string }) {
  return (
    <Form action={signInCodePath} class="stack">
      <HiddenFields fields={{ pending, to }} />
      <TextField
        label="One-time code"
        name="code"
        autocomplete="one-time-code"
        maxLength={40}
        required
        autofocus
        hint={hint}
      />
      <Button label="Sign in" variant="primary" />
    </Form>
  );
}

/** Shown once, after the sign-in that set up an authenticator. */
function NewRecoveryCodesPage({ codes, to }: { codes: readonly string[]; to: string }) {
  return (
    <main class="card stack">
      <h1>Recovery codes</h1>
      <RecoveryCodes codes={codes} />
      <p>
        <a class="btn primary" href={to}>
          Continue
        </a>
      </p>
    </main>
  );
}

import type { LinkState } from "../../../access/accounts/account-links.ts";
import { FieldError } from "../../../platform/lib/errors.ts";
import { FormError } from "../kit/components.tsx";
import { Button, Form } from "../kit/form.tsx";
import { Text } from "../kit/inline.tsx";
import { invitationPath, signInPath } from "../kit/paths.ts";
import { consoleActor, formBytesMax, readForm, type ConsoleRequest, visitorOf } from "../shell/request.ts";
import type { Responder } from "../shell/responses.tsx";
import type { ConsoleServices } from "../shell/services.ts";
import { isCsrfToken } from "../shell/visitors.ts";
import { newPasswordHint, PasswordField } from "./password-field.tsx";

const endings: Record<Exclude<LinkState, "valid">, string> = {
  used: "This link has been used, and works only once. Sign in with the password that was chosen. If that was not you, tell an administrator now.",
  expired: "This link has expired. Ask an administrator for another one.",
  replaced: "This link was withdrawn or replaced by a newer one. Ask an administrator for it.",
};

/** Pages of a link to choose a password with: an invitation, or a link that replaces a lost password. */
export function createInvitation({
  consoleSignIn: { ownAccount },
  responder,
}: Pick<ConsoleServices, "consoleSignIn"> & { responder: Responder }) {
  function showEnding(call: ConsoleRequest, title: string, message: string, status: number): Response {
    return responder.page(call, title, <EndedPage title={title} message={message} />, status);
  }

  /** Opening the page does not use the link up: mail scanners open links. */
  function showInvitation(
    call: ConsoleRequest,
    token: string,
    { message, status = 200 }: { message?: string; status?: number } = {},
  ): Response {
    const link = ownAccount.linkOf(token);
    if (link === undefined)
      return showEnding(
        call,
        "No such link",
        "This link does not exist. Check that you opened all of it, or ask an administrator for another one.",
        404,
      );
    if (link.state !== "valid")
      return showEnding(call, "This link does not work any more", endings[link.state], 410);
    if (link.account.disabledAt !== null)
      return showEnding(call, "This account is disabled", "Ask an administrator to enable it.", 403);
    const content = <PasswordPage token={token} name={link.account.name} message={message} />;
    return responder.page(call, "Choose a password", content, status);
  }

  async function acceptInvitation(call: ConsoleRequest, token: string): Promise<Response> {
    const form = await readForm(call, formBytesMax.signedOut);
    if (!isCsrfToken(form.get("form_token"), visitorOf(call)))
      return showInvitation(call, token, {
        message: "This page expired. Enter the password again.",
        status: 400,
      });
    if (ownAccount.linkOf(token)?.state !== "valid") return showInvitation(call, token);
    const password = form.get("password") ?? "";
    if (password !== form.get("repeated"))
      return showInvitation(call, token, {
        message: "The two passwords differ. Enter them again.",
        status: 400,
      });
    try {
      const account = await ownAccount.choosePassword(token, password, {
        by: consoleActor(null, call.address),
      });
      const content = <DonePage name={account.name} />;
      return responder.page(call, "Password saved", content, 200);
    } catch (error) {
      if (error instanceof FieldError)
        return showInvitation(call, token, { message: error.message, status: 400 });
      // It was used in the meantime.
      if (ownAccount.linkOf(token)?.state !== "valid") return showInvitation(call, token);
      throw error;
    }
  }

  return { showInvitation, acceptInvitation };
}

function PasswordPage(props: { token: string; name: string; message: string | undefined }) {
  const { token, name, message } = props;
  return (
    <main class="card stack">
      <h1>Choose a password</h1>
      <p>
        For the account{" "}
        <strong>
          <Text text={name} />
        </strong>{" "}
        of phishwatch.
      </p>
      <FormError message={message} />
      <Form action={invitationPath(token)} class="stack">
        {/* Password managers store the password under this name. */}
        <input type="text" name="name" value={name} autocomplete="username" readOnly hidden />
        <PasswordField label="Password" name="password" autofocus hint={newPasswordHint} />
        <PasswordField label="Password again" name="repeated" />
        <Button label="Save password" variant="primary" />
      </Form>
    </main>
  );
}

function DonePage({ name }: { name: string }) {
  return (
    <main class="card stack">
      <h1>Password saved</h1>
      <p>
        Sign in as{" "}
        <strong>
          <Text text={name} />
        </strong>
        . The link does not work any more.
      </p>
      <p>
        <a class="btn primary" href={signInPath}>
          Sign in
        </a>
      </p>
    </main>
  );
}

function EndedPage({ title, message }: { title: string; message: string }) {
  return (
    <main class="card stack">
      <h1>{title}</h1>
      <p>{message}</p>
      <p>
        <a href={signInPath}>Go to the sign-in page</a>
      </p>
    </main>
  );
}

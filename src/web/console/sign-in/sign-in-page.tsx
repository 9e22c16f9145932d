import { accountNameCharactersMax } from "../../../access/accounts/account-names.ts";
import { passwordCharactersMax } from "../../../access/accounts/password-rules.ts";
import { FormError } from "../kit/components.tsx";
import { Button, Form, HiddenFields, TextField } from "../kit/form.tsx";
import { signInPath } from "../kit/paths.ts";
import { Brand } from "../shell/layout.tsx";

export function SignInPage(props: {
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
        <TextField
          label="Password"
          name="password"
          type="password"
          autocomplete="current-password"
          maxLength={passwordCharactersMax}
          required
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
export function ArrivalPage({ to }: { to: string }) {
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

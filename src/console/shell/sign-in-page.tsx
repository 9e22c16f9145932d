import { passwordCharactersMax } from "../../access/console/password.ts";
import { FormError } from "../kit/components.tsx";
import { Button, Form, HiddenFields, TextField } from "../kit/form.tsx";
import { overviewPath, signInPath } from "../kit/paths.ts";
import { Brand } from "./layout.tsx";

export function SignInPage({
  to,
  message,
  exists,
}: {
  /** Path to continue with after sign-in. */
  to: string;
  message: string | undefined;
  /** Whether a password exists. */
  exists: boolean;
}) {
  return (
    <main class="card stack">
      <h1>
        <Brand />
      </h1>
      <FormError message={message} />
      <Form action={signInPath} class="stack">
        <HiddenFields fields={{ to, time_zone: "" }} />
        <TextField
          label="Password"
          name="password"
          type="password"
          autocomplete="current-password"
          maxLength={passwordCharactersMax}
          required
          autofocus
          hint={
            exists
              ? "Created at the first start, unless the configuration file sets console.password. If you lost it, set console.password there."
              : "No password exists yet. One is created when the appliance starts."
          }
        />
        <Button label="Sign in" variant="primary" />
      </Form>
    </main>
  );
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

export function ErrorPage({
  title,
  message,
  requestId,
}: {
  title: string;
  message: string;
  requestId: string | undefined;
}) {
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

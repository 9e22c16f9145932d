import { passwordCharactersMax } from "../../access/console/password.ts";
import { Button, Form, HiddenFields, TextField } from "../kit/form.tsx";
import { Refusal } from "../kit/kit.tsx";
import { overviewPath, signInPath } from "../kit/paths.ts";

export function SignInPage({
  to,
  message,
  exists,
}: {
  /** Where it goes on. */
  to: string;
  message: string | undefined;
  /** Whether there is a password at all. */
  exists: boolean;
}) {
  return (
    <main class="sign-in card">
      <h1>phishwatch</h1>
      <Refusal message={message} />
      <Form action={signInPath}>
        <HiddenFields fields={{ to }} />
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
              ? "It was printed at the first start, or stands in the configuration file as console.password: set that if it is lost."
              : "There is no password yet: it is made and printed when the appliance starts."
          }
        />
        <Button label="Sign in" />
      </Form>
    </main>
  );
}

/**
 * Where a link from another site arrives the session's cookie is not sent (SameSite=Strict). This page of ours
 * asks again: then it is.
 */
export function ArrivalPage({ to }: { to: string }) {
  return (
    <main class="sign-in card">
      <meta http-equiv="refresh" content={`0;url=${to}`} />
      <h1>phishwatch</h1>
      <p>
        <a href={to}>Go on to the console</a>
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
          Request <code>{requestId}</code>
        </p>
      )}
      <p>
        <a href={overviewPath}>To the overview</a>
      </p>
    </section>
  );
}

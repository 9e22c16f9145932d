import { codeUri, readableSecret } from "../../../access/accounts/one-time-codes.ts";
import { Copyable, FormError } from "../kit/components.tsx";
import { Button, Form, HiddenFields, TextField } from "../kit/form.tsx";
import { signInCodePath, signInPath } from "../kit/paths.ts";
import { QrCode } from "./qr-code.tsx";

interface CodeForm {
  /** Identifies the sign-in. */
  pending: string;
  /** Path to continue with after sign-in. */
  to: string;
  message: string | undefined;
}

/** The second step of a sign-in: a code of the authenticator, or a recovery code. */
export function CodePage({ pending, to, message }: CodeForm) {
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
export function EnrollPage(props: CodeForm & { /** Name of the account. */ name: string; secret: string }) {
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
      <QrCode text={uri} label="QR code of the secret for the authenticator" />
      <Copyable text={readableSecret(secret)} label="the secret" secret />
      <Copyable text={uri} label="the address for the authenticator" secret />
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
export function NewRecoveryCodesPage({ codes, to }: { codes: readonly string[]; to: string }) {
  return (
    <main class="card stack">
      <h1>Recovery codes</h1>
      <p>
        Each of these codes signs you in once if you lose the phone. Keep them in a safe place: they are not
        shown again.
      </p>
      <Copyable text={codes.join("\n")} label="the recovery codes" secret />
      <p>
        <a class="btn primary" href={to}>
          Continue
        </a>
      </p>
    </main>
  );
}

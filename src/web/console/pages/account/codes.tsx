import { badRequest } from "../../../../platform/lib/errors.ts";
import { FormButtons, FormError, LinkButton } from "../../kit/components.tsx";
import { attempt, wholeForm, type FieldErrors } from "../../kit/fields.ts";
import { Button, Form, TextField } from "../../kit/form.tsx";
import { page, redirect, type PageResult } from "../../kit/page-result.ts";
import {
  accountPath,
  codesPath,
  confirmCodesPath,
  recoveryCodesPath,
  removeCodesPath,
  renewRecoveryCodesPath,
} from "../../kit/paths.ts";
import { CodeSecret, RecoveryCodes } from "../../sign-in/code-parts.tsx";
import type { AccountContext } from "./account-page.tsx";

const crumbs = [{ label: "Your account", path: accountPath }];
/** Name of the recovery codes among the values that are shown once. */
const recoveryCodesName = "recovery codes";
/** Covers a one-time code with spaces, a recovery code and a password. */
const proofCharactersMax = 1_000;
const codeCharactersMax = 40;

export async function beginCodes({ account, session, services }: AccountContext): Promise<PageResult> {
  await services.ownAccount.beginCodes({ account, session });
  return redirect(codesPath);
}

/** Shows the secret of an enrollment that no code has confirmed yet. */
export function showCodeSetup(
  { account, session, services }: AccountContext,
  errors: FieldErrors = {},
): PageResult {
  const setup = services.ownAccount.pendingCodes({ account, session });
  if (setup === undefined) return redirect(accountPath);
  return page(
    { title: "Set up one-time codes", crumbs, class: "narrow stack" },
    <>
      <p>Scan this with an authenticator on your phone, or enter the secret by hand.</p>
      <CodeSecret {...setup} />
      <FormError message={errors[wholeForm]} />
      <Form action={confirmCodesPath} class="stack" errors={errors}>
        <TextField
          label="One-time code"
          name="code"
          autocomplete="one-time-code"
          maxLength={codeCharactersMax}
          required
          autofocus
          hint="The 6 digits that the authenticator shows now. One-time codes are off until you enter one."
        />
        <FormButtons submit="Turn on" back={accountPath} />
      </Form>
    </>,
    { status: Object.keys(errors).length === 0 ? 200 : 400 },
  );
}

export async function confirmCodes(context: AccountContext): Promise<PageResult> {
  const { account, session, services, form, by, putOnce } = context;
  const done = await attempt(() =>
    services.ownAccount.confirmCodes({ account, session }, form.get("code") ?? "", { by }),
  );
  if (!done.ok) return showCodeSetup(context, done.errors);
  putOnce(recoveryCodesName, done.value);
  return redirect(recoveryCodesPath, "One-time codes are on.");
}

/** Shows new recovery codes, once. */
export function showRecoveryCodes({ takeOnce }: AccountContext): PageResult {
  const codes = takeOnce<string[]>(recoveryCodesName);
  if (codes === undefined)
    return redirect(accountPath, {
      tone: "warning",
      text: "Recovery codes are shown only once. If you lost them, create new ones.",
    });
  return page(
    { title: "Recovery codes", crumbs, class: "narrow stack" },
    <>
      <RecoveryCodes codes={codes} />
      <p>
        <LinkButton path={accountPath} label="Done" variant="primary" />
      </p>
    </>,
  );
}

/** A change that needs a proof that the owner of the account makes it. */
interface ProvenChange {
  title: string;
  /** Consequence. */
  text: string;
  action: string;
  button: string;
}

const removal: ProvenChange = {
  title: "Turn off one-time codes?",
  text: "A sign-in will take the password only. The recovery codes stop working.",
  action: removeCodesPath,
  button: "Turn off one-time codes",
};

const renewal: ProvenChange = {
  title: "Create new recovery codes?",
  text: "The present recovery codes stop working.",
  action: renewRecoveryCodesPath,
  button: "Create recovery codes",
};

export const askToRemoveCodes = (context: AccountContext) => askForProof(context, removal);
export const askToRenewRecoveryCodes = (context: AccountContext) => askForProof(context, renewal);

export async function removeCodes(context: AccountContext): Promise<PageResult> {
  const { account, session, services, form, by } = context;
  const done = await attempt(() =>
    services.ownAccount.removeCodes({ account, session }, form.get("proof") ?? "", { by }),
  );
  if (!done.ok) return askForProof(context, removal, done.errors);
  return redirect(accountPath, "One-time codes are off.");
}

export async function renewRecoveryCodes(context: AccountContext): Promise<PageResult> {
  const { account, session, services, form, by, putOnce } = context;
  const done = await attempt(() =>
    services.ownAccount.renewRecoveryCodes({ account, session }, form.get("proof") ?? "", { by }),
  );
  if (!done.ok) return askForProof(context, renewal, done.errors);
  putOnce(recoveryCodesName, done.value);
  return redirect(recoveryCodesPath);
}

/** Asks for the password or a code before a change, because the computer may have been left unlocked. */
function askForProof(
  { account }: AccountContext,
  { title, text, action, button }: ProvenChange,
  errors: FieldErrors = {},
): PageResult {
  if (!account.hasCodes) throw badRequest("This account has no one-time codes.");
  return page(
    title,
    <section class="card narrow">
      <h1>{title}</h1>
      <div class="prose">
        <p>{text}</p>
      </div>
      <FormError message={errors[wholeForm]} />
      <Form action={action} class="stack" errors={errors}>
        <TextField
          type="password"
          label="Password or code"
          name="proof"
          autocomplete="one-time-code"
          maxLength={proofCharactersMax}
          required
          autofocus
          hint="Your password, a one-time code, or a recovery code."
        />
        <div class="line">
          <Button label={button} variant="sure" />
          <LinkButton path={accountPath} label="Cancel" />
        </div>
      </Form>
    </section>,
    { status: Object.keys(errors).length === 0 ? 200 : 400 },
  );
}

import { capitalized, counted } from "../../../../platform/lib/wording.ts";
import { Card, Facts, FormError, LinkButton, Section, Time, Note } from "../../kit/components.tsx";
import { wholeForm, type FieldErrors, attempt } from "../../kit/fields.ts";
import { Button, Form, PostButton } from "../../kit/form.tsx";
import { StateMark, Text, roleWords } from "../../kit/inline.tsx";
import { page, type PageResult, redirect } from "../../kit/page-result.ts";
import {
  codesPath,
  endOtherSessionsPath,
  endOwnSessionPath,
  passwordPath,
  preferencesPath,
  removeCodesPath,
  renewRecoveryCodesPath,
  signOutEverywherePath,
  accountPath,
} from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { newPasswordHint, PasswordField } from "../../sign-in/password-field.tsx";
import { SessionTable } from "./session-table.tsx";

export type AccountContext = Context<"accounts" | "ownAccount">;

/** Fewer unused recovery codes than this are mentioned as a problem. */
const recoveryCodesFew = 3;

/** The reader's own account: password, one-time codes, sessions. */
export function showAccount(context: AccountContext, errors: FieldErrors = {}): PageResult {
  const { account, now, services, session } = context;
  const self = { account, session };
  const sessions = services.ownAccount.sessions(self);
  const { name, role, lastSignInAt } = account;
  return page(
    {
      title: "Your account",
      actions: <LinkButton path={preferencesPath} label="Preferences" icon="theme" />,
    },
    <>
      <Card>
        <Facts
          facts={[
            ["Name", <Text text={name} />],
            ["Role", `${capitalized(role)}: ${roleWords[role]}.`],
            ["Last sign-in", lastSignInAt === null ? "never" : <Time at={lastSignInAt} relative />],
          ]}
        />
      </Card>
      <div class="cols cols-2">
        <Password account={account} errors={errors} />
        <Codes account={account} left={services.ownAccount.recoveryCodesLeft(self)} />
      </div>
      <Section
        title="Sessions"
        aside={
          <div class="line">
            {sessions.length < 2 ? null : (
              <PostButton action={endOtherSessionsPath} label="End all others" small />
            )}
            <PostButton action={signOutEverywherePath} label="Sign out everywhere" small variant="danger" />
          </div>
        }
      >
        <SessionTable sessions={sessions} own={session.seq} now={now} endPath={endOwnSessionPath} />
      </Section>
    </>,
    { status: Object.keys(errors).length === 0 ? 200 : 400 },
  );
}

function Password({ account, errors }: { account: AccountContext["account"]; errors: FieldErrors }) {
  const { origin, password, name } = account;
  if (origin === "proxy")
    return (
      <Card title="Password">
        <p>A proxy signs you in, so this account has no password here.</p>
      </Card>
    );
  if (password === "configuration")
    return (
      <Card title="Password">
        <p>
          <code>console.password</code> in the configuration file sets the password of this account. To change
          it, edit the file. <a href="/docs/users">Manual</a>
        </p>
      </Card>
    );
  return (
    <Card title="Password">
      <FormError message={errors[wholeForm]} />
      <Form action={passwordPath} class="stack" errors={errors}>
        {/* Password managers store the password under this name. */}
        <input type="text" name="name" value={name} autocomplete="username" readOnly hidden />
        <PasswordField label="Current password" name="current" autocomplete="current-password" />
        <PasswordField label="New password" name="password" hint={newPasswordHint} />
        <PasswordField label="New password again" name="repeated" />
        <p class="hint">A new password ends your other sessions.</p>
        <p>
          <Button label="Change password" />
        </p>
      </Form>
    </Card>
  );
}

function Codes({ account, left }: { account: AccountContext["account"]; left: number }) {
  if (account.origin === "proxy")
    return (
      <Card title="One-time codes">
        <p>A proxy signs you in, so phishwatch asks for no code.</p>
      </Card>
    );
  if (!account.hasCodes)
    return (
      <Card title="One-time codes" aside={<StateMark tone="neutral">off</StateMark>}>
        <div class="stack">
          <p>
            With one-time codes, a sign-in takes a code from an authenticator on your phone after the
            password. A stolen password alone is not enough then.
          </p>
          <PostButton action={codesPath} label="Set up one-time codes" />
        </div>
      </Card>
    );
  return (
    <Card title="One-time codes" aside={<StateMark tone="good">on</StateMark>}>
      <div class="stack">
        <p>A sign-in takes a code from your authenticator after the password.</p>
        {left >= recoveryCodesFew ? (
          <p>{counted(left, "recovery code")} left.</p>
        ) : (
          <Note
            tone="warn"
            title={left === 0 ? "No recovery codes left" : `${counted(left, "recovery code")} left`}
          >
            Each replaces a code once if you lose the phone. Create new ones.
          </Note>
        )}
        <div class="line">
          <LinkButton path={renewRecoveryCodesPath} label="Create new recovery codes" />
          <LinkButton path={removeCodesPath} label="Turn off" variant="danger" />
        </div>
      </div>
    </Card>
  );
}

export async function changePassword(context: AccountContext): Promise<PageResult> {
  const { account, session, services, form, by } = context;
  const password = form.get("password") ?? "";
  if (password !== form.get("repeated"))
    return showAccount(context, { repeated: "The two new passwords differ. Enter them again." });
  const given = { current: form.get("current") ?? "", password };
  const done = await attempt(() => services.ownAccount.changePassword({ account, session }, given, { by }));
  if (!done.ok) return showAccount(context, done.errors);
  return redirect(accountPath, "Password changed. Your other sessions have ended.");
}

export async function endOwnSession(context: AccountContext): Promise<PageResult> {
  const { account, session, services, params, by, write } = context;
  const self = { account, session };
  const wanted = Number(params["seq"]);
  const hasEnded = await write(() => services.ownAccount.endSession(self, wanted, { by }));
  return redirect(
    accountPath,
    hasEnded ? "Session ended." : { tone: "warning", text: "This session has ended before." },
  );
}

export async function endOtherSessions(context: AccountContext): Promise<PageResult> {
  const { account, session, services, by, write } = context;
  const ended = await write(() => services.ownAccount.endOtherSessions({ account, session }, { by }));
  return redirect(accountPath, `${counted(ended, "session")} ended.`);
}

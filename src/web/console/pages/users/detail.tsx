import type { Account } from "../../../../access/accounts/accounts.ts";
import { notFound } from "../../../../platform/lib/errors.ts";
import { capitalized } from "../../../../platform/lib/wording.ts";
import { Card, Facts, Section, Time } from "../../kit/components.tsx";
import { wholeForm, type FieldErrors } from "../../kit/fields.ts";
import { Menu, MenuLink } from "../../kit/disclosure.tsx";
import { Button, Choices, Form, PostButton } from "../../kit/form.tsx";
import { Text, roleWords } from "../../kit/inline.tsx";
import { page, type PageResult } from "../../kit/page-result.ts";
import { accountPath, auditPath, userPath, usersPath } from "../../kit/paths.ts";
import { SessionTable } from "../account/session-table.tsx";
import { AccountState, roleChoices, type UsersContext } from "./list.tsx";

/** One account: its facts, its role, its sessions, and what an administrator can do about it. */
export function showUser(context: UsersContext, errors: FieldErrors = {}): PageResult {
  const { account: self, now, services, session } = context;
  const account = userOf(context);
  const { createdAt, disabledAt, hasCodes, lastSignInAt, name, origin, role, seq } = account;
  const path = userPath(seq);
  const link = services.accountManagement.linkOf(seq);
  const sessions = services.sessions.list().filter(({ accountSeq }) => accountSeq === seq);
  const isSelf = seq === self.seq;
  return page(
    {
      title: name,
      heading: <Text text={name} />,
      crumbs: [{ label: "Users", path: usersPath }],
      actions: <Actions account={account} isSelf={isSelf} />,
    },
    <>
      <Card>
        <Facts
          facts={[
            ["State", <AccountState account={account} isInvited={link !== undefined} />],
            [
              "Origin",
              origin === "proxy" ? "created by the first sign-in through the proxy" : "created here",
            ],
            ["Password", passwordText(account)],
            ["One-time codes", origin === "proxy" ? "none: the proxy signs in" : hasCodes ? "on" : "off"],
            link !== undefined && [
              "Link",
              <>
                created <Time at={link.createdAt} relative />, works once until <Time at={link.expiresAt} />
              </>,
            ],
            ["Last sign-in", lastSignInAt === null ? "never" : <Time at={lastSignInAt} relative />],
            ["Created", <Time at={createdAt} />],
            disabledAt !== null && ["Disabled", <Time at={disabledAt} />],
            ["Changes", <a href={`${auditPath}?via=console&by=${encodeURIComponent(name)}`}>Audit log</a>],
          ]}
        />
      </Card>
      {origin === "proxy" ? (
        <Card title="Role">
          <p>
            {capitalized(role)}: {roleWords[role]}. The groups that the proxy sends determine the role.
          </p>
        </Card>
      ) : (
        <Card title="Role">
          <Form action={`${path}/role`} class="stack">
            <Choices
              single
              label={`What ${name} may do`}
              name="role"
              values={[role]}
              choices={roleChoices}
              error={errors["role"] ?? errors[wholeForm]}
            />
            <p class="hint">A change takes effect at once.</p>
            <p>
              <Button label="Change role" />
            </p>
          </Form>
        </Card>
      )}
      <Section
        title="Sessions"
        aside={
          isSelf ? (
            <a class="s" href={accountPath}>
              Your account
            </a>
          ) : sessions.length === 0 ? null : (
            <PostButton action={`${path}/end-sessions`} label="End all sessions" small variant="danger" />
          )
        }
      >
        <SessionTable sessions={sessions} own={session.seq} now={now} />
      </Section>
    </>,
    { status: Object.keys(errors).length === 0 ? 200 : 400 },
  );
}

function Actions({ account, isSelf }: { account: Account; isSelf: boolean }) {
  const { disabledAt, hasCodes, lastSignInAt, origin, password, seq } = account;
  const path = userPath(seq);
  const isPending = origin === "local" && password === null && lastSignInAt === null;
  const canReset = !isSelf && origin === "local" && password !== "configuration" && disabledAt === null;
  return (
    <>
      {canReset ? (
        <PostButton action={`${path}/reset`} label={isPending ? "Create new link" : "Reset password"} />
      ) : null}
      {isSelf ? null : disabledAt === null ? (
        <PostButton action={`${path}/disable`} label="Disable" icon="pause" />
      ) : (
        <PostButton action={`${path}/enable`} label="Enable" variant="primary" />
      )}
      {(hasCodes && !isSelf) || isPending ? (
        <Menu>
          {hasCodes && !isSelf ? (
            <MenuLink path={`${path}/remove-codes`} label="Remove one-time codes" danger />
          ) : null}
          {isPending ? <MenuLink path={`${path}/withdraw`} label="Withdraw invitation" danger /> : null}
        </Menu>
      ) : null}
    </>
  );
}

function passwordText({ origin, password }: Account): string {
  if (origin === "proxy") return "none: the proxy signs in";
  if (password === "configuration") return "console.password in the configuration file";
  return password === null ? "not chosen yet" : "chosen";
}

/** Returns the account of the address. @throws PublicError `not_found` */
export function userOf({ params, services }: UsersContext): Account {
  const seq = params["seq"]!;
  const found = /^[1-9][0-9]{0,14}$/.test(seq) ? services.accounts.get(Number(seq)) : undefined;
  if (found === undefined) throw notFound("There is no user at this address.");
  return found;
}

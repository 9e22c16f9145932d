import type { AccountManagement } from "../../../../access/accounts/account-management.ts";
import type { Account } from "../../../../access/accounts/accounts.ts";
import type { ConsoleSession } from "../../../../access/console/sessions.ts";
import { capitalized, grouped } from "../../../../platform/lib/wording.ts";
import { roles } from "../../../../platform/vocabulary/permissions.ts";
import { LinkButton, Time } from "../../kit/components.tsx";
import { choicesOf } from "../../kit/form.tsx";
import { roleWords, StateMark, Tag, Text } from "../../kit/inline.tsx";
import { page, type PageResult } from "../../kit/page-result.ts";
import { inviteUserPath, userPath } from "../../kit/paths.ts";
import { column, ListTable, type Column } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";

export type UserServices = "accountManagement" | "accounts" | "publicUrl" | "sessions";
export type UsersContext = Context<UserServices>;

export const roleChoices = choicesOf(roles, capitalized, roleWords);

/** Settings → Users. */
export function listUsers({ services, account: self }: UsersContext): PageResult {
  const { accountManagement, accounts, sessions } = services;
  const byAccount = Map.groupBy(sessions.list(), ({ accountSeq }) => accountSeq);
  return page(
    {
      title: "Users",
      lead: "People who can sign in to the console, and what they may do.",
      actions: <LinkButton path={inviteUserPath} label="Invite user" icon="plus" variant="primary" />,
    },
    <ListTable
      caption="Users"
      columns={columnsOf({ self, byAccount, linkOf: accountManagement.linkOf })}
      rows={accounts.list()}
      empty="No users."
    />,
  );
}

function columnsOf(given: {
  self: Account;
  byAccount: ReadonlyMap<number, readonly ConsoleSession[]>;
  linkOf: AccountManagement["linkOf"];
}): Column<Account>[] {
  const { self, byAccount, linkOf } = given;
  return [
    column("Name", "wide title", ({ seq, name, origin }) => (
      <>
        <a href={userPath(seq)}>
          <Text text={name} />
        </a>
        {seq === self.seq ? <span class="hint"> you</span> : null}
        {origin === "proxy" ? (
          <>
            {" "}
            <Tag title="A proxy signs this person in, and its groups determine the role.">proxy</Tag>
          </>
        ) : null}
      </>
    )),
    column("State", "state", (account) => (
      <AccountState account={account} isInvited={linkOf(account.seq) !== undefined} />
    )),
    column("Role", "tight under", ({ role }) => capitalized(role)),
    column("One-time codes", "tight hidden", ({ hasCodes, origin }) =>
      origin === "proxy" ? "–" : hasCodes ? "on" : "off",
    ),
    column("Sessions", "number hidden", ({ seq }) => grouped(byAccount.get(seq)?.length ?? 0)),
    column("Last sign-in", "number end", ({ lastSignInAt }) =>
      lastSignInAt === null ? "never" : <Time at={lastSignInAt} relative />,
    ),
  ];
}

/** @param isInvited whether a link to choose a password works */
export function AccountState({ account, isInvited }: { account: Account; isInvited: boolean }) {
  const { disabledAt, lastSignInAt, origin, password } = account;
  if (disabledAt !== null) return <StateMark tone="neutral">disabled</StateMark>;
  if (origin === "proxy" || password !== null) return <StateMark tone="good">active</StateMark>;
  // console.password was removed: the next start creates a password.
  if (lastSignInAt !== null) return <StateMark tone="warn">no password</StateMark>;
  return isInvited ? (
    <StateMark tone="live">invited</StateMark>
  ) : (
    <StateMark tone="warn">invitation expired</StateMark>
  );
}

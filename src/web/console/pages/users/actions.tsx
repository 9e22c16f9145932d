import { badRequest } from "../../../../platform/lib/errors.ts";
import { Confirm } from "../../kit/components.tsx";
import { attempt } from "../../kit/fields.ts";
import { Text } from "../../kit/name.tsx";
import { page, redirect, type PageResult } from "../../kit/page-result.ts";
import { accountPath, userLinkPath, userPath, usersPath } from "../../kit/paths.ts";
import { showUser, userOf } from "./detail.tsx";
import { readRole, shownLinkName } from "./invite.tsx";
import type { UsersContext } from "./list.tsx";

export async function changeRole(context: UsersContext): Promise<PageResult> {
  const { account: self, form, services, by, write } = context;
  const { seq, name } = userOf(context);
  const done = await attempt(() => {
    const role = readRole(form);
    return write(() => {
      services.accountManagement.setRole(seq, role, { by });
      return role;
    });
  });
  if (!done.ok) return showUser(context, done.errors);
  // Who is no administrator any more may not see the users.
  const next = seq === self.seq && done.value !== "administrator" ? accountPath : userPath(seq);
  return redirect(next, `The role of ${name} is ${done.value} now.`);
}

export async function disableUser(context: UsersContext): Promise<PageResult> {
  const { account: self, services, by, write } = context;
  const { seq, name } = userOf(context);
  if (seq === self.seq) throw badRequest("You cannot disable your own account. Ask another administrator.");
  await write(() => services.accountManagement.disable(seq, { by }));
  return redirect(userPath(seq), `${name} is disabled. All sessions of the account have ended.`);
}

export async function enableUser(context: UsersContext): Promise<PageResult> {
  const { services, by, write } = context;
  const { seq, name } = userOf(context);
  await write(() => services.accountManagement.enable(seq, { by }));
  return redirect(userPath(seq), `${name} is enabled.`);
}

/**
 * People replace their own password and codes on the page of their account, which asks for proof: otherwise, somebody at a
 * computer that was left alone could take the account over.
 * @throws PublicError `bad_request`
 */
function requireOther({ account: self }: UsersContext, seq: number): void {
  if (seq === self.seq)
    throw badRequest(
      "This is your own account. Change its password and one-time codes on the page “Your account”.",
    );
}

/** Creates a link to choose a password with. */
export async function resetUser(context: UsersContext): Promise<PageResult> {
  const { services, by, write, putOnce } = context;
  const { seq } = userOf(context);
  requireOther(context, seq);
  const link = await write(() => services.accountManagement.reset(seq, {}, { by }));
  putOnce(shownLinkName(seq), link);
  return redirect(userLinkPath(seq));
}

export async function endUserSessions(context: UsersContext): Promise<PageResult> {
  const { services, by, write } = context;
  const { seq, name } = userOf(context);
  await write(() => services.accountManagement.endSessions(seq, { by }));
  return redirect(userPath(seq), `All sessions of ${name} have ended.`);
}

export function askToRemoveUserCodes(context: UsersContext): PageResult {
  const { seq, name, hasCodes } = userOf(context);
  if (!hasCodes) return redirect(userPath(seq), { tone: "warning", text: `${name} has no one-time codes.` });
  return page(
    "Remove one-time codes",
    <Confirm
      title="Remove the one-time codes?"
      action={`${userPath(seq)}/remove-codes`}
      button="Remove one-time codes"
      back={userPath(seq)}
    >
      <p>
        <strong>
          <Text text={name} />
        </strong>{" "}
        signs in with the password only, until the account has new one-time codes. Do this only if you are
        sure that the person asked for it, for example because of a lost phone. This cannot be undone.
      </p>
    </Confirm>,
  );
}

export async function removeUserCodes(context: UsersContext): Promise<PageResult> {
  const { services, by, write } = context;
  const { seq, name } = userOf(context);
  requireOther(context, seq);
  await write(() => services.accountManagement.removeCodes(seq, { by }));
  return redirect(userPath(seq), `The one-time codes of ${name} are removed.`);
}

export function askToWithdraw(context: UsersContext): PageResult {
  const { seq, name } = userOf(context);
  return page(
    "Withdraw invitation",
    <Confirm
      title="Withdraw the invitation?"
      action={`${userPath(seq)}/withdraw`}
      button="Withdraw invitation"
      back={userPath(seq)}
    >
      <p>
        The link of{" "}
        <strong>
          <Text text={name} />
        </strong>{" "}
        stops working, and the account is deleted. The name can be used again.
      </p>
    </Confirm>,
  );
}

export async function withdrawInvitation(context: UsersContext): Promise<PageResult> {
  const { services, by, write } = context;
  const { seq, name } = userOf(context);
  await write(() => services.accountManagement.withdrawInvitation(seq, { by }));
  return redirect(usersPath, `The invitation of ${name} is withdrawn.`);
}

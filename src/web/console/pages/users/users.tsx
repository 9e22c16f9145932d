import { badRequest, FieldError } from "../../../../platform/lib/errors.ts";
import { accountNameCharactersMax, accountNameRule } from "../../../../access/accounts/account-names.ts";
import { dayMs } from "../../../../platform/lib/clock.ts";
import { capitalized } from "../../../../platform/lib/wording.ts";
import { roles } from "../../../../platform/vocabulary/permissions.ts";
import {
  inviteUserPath,
  userLinkPath,
  userPath,
  usersPath,
  accountPath,
  invitationPath,
} from "../../kit/paths.ts";
import type { PageGroup } from "../../shell/router.ts";
import { Confirm, Copyable, FormError, LinkButton, PageHead, Time } from "../../kit/components.tsx";
import { attempt, wholeForm, type FieldErrors } from "../../kit/fields.ts";
import { Text } from "../../kit/name.tsx";
import { page, redirect, type PageResult } from "../../kit/page-result.ts";
import { Button, Choices, Form, Select, TextField } from "../../kit/form.tsx";
import { roleWords } from "../../kit/labels.ts";
import { showUser, userOf } from "./detail.tsx";
import { listUsers, type UsersContext } from "./list.tsx";

const user = userPath(":seq");
const permission = "administer";

/** Settings → Users. */
export const userPages: PageGroup = {
  nav: { section: "settings", label: "Users", icon: "people", path: usersPath },
  routes: [
    { method: "GET", path: usersPath, permission, run: listUsers },
    { method: "GET", path: inviteUserPath, permission, run: (context) => showInviteForm(context) },
    { method: "POST", path: inviteUserPath, permission, run: inviteUser },
    { method: "GET", path: user, permission, run: (context) => showUser(context) },
    { method: "GET", path: userLinkPath(":seq"), permission, run: showLink },
    { method: "POST", path: `${user}/role`, permission, run: changeRole },
    { method: "POST", path: `${user}/disable`, permission, run: disableUser },
    { method: "POST", path: `${user}/enable`, permission, run: enableUser },
    { method: "POST", path: `${user}/reset`, permission, run: resetUser },
    { method: "POST", path: `${user}/end-sessions`, permission, run: endUserSessions },
    { method: "GET", path: `${user}/remove-codes`, permission, run: askToRemoveUserCodes },
    { method: "POST", path: `${user}/remove-codes`, permission, run: removeUserCodes },
    { method: "GET", path: `${user}/withdraw`, permission, run: askToWithdraw },
    { method: "POST", path: `${user}/withdraw`, permission, run: withdrawInvitation },
  ],
};

async function changeRole(context: UsersContext): Promise<PageResult> {
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

async function disableUser(context: UsersContext): Promise<PageResult> {
  const { account: self, services, by, write } = context;
  const { seq, name } = userOf(context);
  if (seq === self.seq) throw badRequest("You cannot disable your own account. Ask another administrator.");
  await write(() => services.accountManagement.disable(seq, { by }));
  return redirect(userPath(seq), `${name} is disabled. All sessions of the account have ended.`);
}

async function enableUser(context: UsersContext): Promise<PageResult> {
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
async function resetUser(context: UsersContext): Promise<PageResult> {
  const { services, by, write, putOnce } = context;
  const { seq } = userOf(context);
  requireOther(context, seq);
  const link = await write(() => services.accountManagement.reset(seq, {}, { by }));
  putOnce(shownLinkName(seq), link);
  return redirect(userLinkPath(seq));
}

async function endUserSessions(context: UsersContext): Promise<PageResult> {
  const { services, by, write } = context;
  const { seq, name } = userOf(context);
  await write(() => services.accountManagement.endSessions(seq, { by }));
  return redirect(userPath(seq), `All sessions of ${name} have ended.`);
}

function askToRemoveUserCodes(context: UsersContext): PageResult {
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

async function removeUserCodes(context: UsersContext): Promise<PageResult> {
  const { services, by, write } = context;
  const { seq, name } = userOf(context);
  requireOther(context, seq);
  await write(() => services.accountManagement.removeCodes(seq, { by }));
  return redirect(userPath(seq), `The one-time codes of ${name} are removed.`);
}

function askToWithdraw(context: UsersContext): PageResult {
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

async function withdrawInvitation(context: UsersContext): Promise<PageResult> {
  const { services, by, write } = context;
  const { seq, name } = userOf(context);
  await write(() => services.accountManagement.withdrawInvitation(seq, { by }));
  return redirect(usersPath, `The invitation of ${name} is withdrawn.`);
}

const crumbs = [{ label: "Users", path: usersPath }];
const lifetimes = [
  { value: "1", label: "1 day" },
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
];
const defaultLifetime = "7";

/** A link that was just created, kept for the next page. */
interface ShownLink {
  token: string;
  expiresAt: number;
}
const shownLinkName = (seq: number) => `link ${seq}`;

function showInviteForm({ form }: UsersContext, errors: FieldErrors = {}): PageResult {
  return page(
    "Invite user",
    <div class="narrow">
      <PageHead
        title="Invite user"
        crumbs={crumbs}
        lead="Creates an account, and a link with which the person chooses a password."
      />
      <FormError message={errors[wholeForm]} />
      <Form action={inviteUserPath} class="stack">
        <TextField
          label="Name"
          name="name"
          value={form.get("name") ?? ""}
          required
          maxLength={accountNameCharactersMax}
          autofocus
          hint={`Shown with everything that the person does. ${capitalized(accountNameRule)}.`}
          error={errors["name"]}
        />
        <Choices
          single
          label="Role"
          name="role"
          values={[form.get("role") ?? "analyst"]}
          choices={roles.map((value) => ({ value, label: capitalized(value), hint: roleWords[value] }))}
          error={errors["role"]}
        />
        <Select
          label="The link works for"
          name="days"
          value={form.get("days") ?? defaultLifetime}
          choices={lifetimes}
          error={errors["days"]}
        />
        <div class="line">
          <Button label="Create link" variant="primary" />
          <LinkButton path={usersPath} label="Cancel" variant="plain" />
        </div>
      </Form>
    </div>,
    { status: Object.keys(errors).length === 0 ? 200 : 400 },
  );
}

async function inviteUser(context: UsersContext): Promise<PageResult> {
  const { form, services, by, write, putOnce } = context;
  const created = await attempt(() => {
    const wanted = {
      name: (form.get("name") ?? "").trim(),
      role: readRole(form),
      lifetimeMs: readLifetime(form),
    };
    return write(() => services.accountManagement.invite(wanted, { by }));
  });
  if (!created.ok) return showInviteForm(context, created.errors);
  const { account, token, expiresAt } = created.value;
  putOnce(shownLinkName(account.seq), { token, expiresAt } satisfies ShownLink);
  return redirect(userLinkPath(account.seq));
}

/** Shows a link right after it was created, once. */
function showLink(context: UsersContext): PageResult {
  const { services, takeOnce } = context;
  const { seq, name, password } = userOf(context);
  const link = takeOnce<ShownLink>(shownLinkName(seq));
  if (link === undefined)
    return redirect(userPath(seq), {
      tone: "warning",
      text: "A link is shown only once. If you lost it, create another one.",
    });
  return page(
    "Link created",
    <div class="narrow stack">
      <PageHead title="Link created" crumbs={crumbs} />
      <p>
        Send this link to{" "}
        <strong>
          <Text text={name} />
        </strong>{" "}
        to choose a{password === null ? "" : " new"} password. It works once, until{" "}
        <Time at={link.expiresAt} />. Copy it now: it is not shown again. Anyone who has it can use it.
      </p>
      <Copyable text={`${services.publicUrl()}${invitationPath(link.token)}`} label="the link" secret />
      <p>
        <LinkButton path={userPath(seq)} label="Done" variant="primary" />
      </p>
    </div>,
  );
}

/** @throws FieldError of `role` */
function readRole(form: URLSearchParams) {
  const role = roles.find((one) => one === form.get("role"));
  if (role === undefined) throw new FieldError("role", `Choose one of these roles: ${roles.join(", ")}.`);
  return role;
}

function readLifetime(form: URLSearchParams): number {
  const days = form.get("days") ?? defaultLifetime;
  if (!lifetimes.some(({ value }) => value === days))
    throw new FieldError("days", "Choose one of the listed times.");
  return Number(days) * dayMs;
}

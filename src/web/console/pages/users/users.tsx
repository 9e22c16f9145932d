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
import type { PageGroup, Route } from "../../shell/router.ts";
import { EntryName } from "../../entries/entry-pages.tsx";
import { Confirm, Copyable, FormButtons, LinkButton, Time } from "../../kit/components.tsx";
import { attempt, type FieldErrors } from "../../kit/fields.ts";
import { FormFields } from "../../kit/form-fields.tsx";
import { page, redirect, type PageResult } from "../../kit/page-result.ts";
import { Form } from "../../kit/form.tsx";
import { showUser, userOf } from "./detail.tsx";
import inviteForm from "./invite-form.json" with { type: "json" };
import { listUsers, roleChoices, type UsersContext, type UserServices } from "./list.tsx";

const user = userPath(":seq");
const permission = "administer";

/** A change of an account that needs no input. */
interface UserChange {
  method: "disable" | "enable" | "endSessions" | "removeCodes" | "withdrawInvitation";
  /** Returns the message after it. */
  done(name: string): string;
  /** Rejects the change of the visitor's own account. */
  notOwn?: string;
  /** Page after it. Default: the account's. */
  next?: string;
}

/**
 * People replace their own password and codes on the page of their account, which asks for proof: otherwise, a person at a
 * computer that was left alone could take the account over.
 */
const needsProof =
  "This is your own account. Change its password and one-time codes on the page “Your account”.";

/** By the end of their address. */
const changes: Record<string, UserChange> = {
  disable: {
    method: "disable",
    done: (name) => `${name} is disabled. All sessions of the account have ended.`,
    notOwn: "You cannot disable your own account. Ask another administrator.",
  },
  enable: { method: "enable", done: (name) => `${name} is enabled.` },
  "end-sessions": { method: "endSessions", done: (name) => `All sessions of ${name} have ended.` },
  "remove-codes": {
    method: "removeCodes",
    done: (name) => `The one-time codes of ${name} are removed.`,
    notOwn: needsProof,
  },
  withdraw: {
    method: "withdrawInvitation",
    done: (name) => `The invitation of ${name} is withdrawn.`,
    next: usersPath,
  },
};

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
    { method: "POST", path: `${user}/reset`, permission, run: resetUser },
    { method: "GET", path: `${user}/remove-codes`, permission, run: askToRemoveUserCodes },
    { method: "GET", path: `${user}/withdraw`, permission, run: askToWithdraw },
    ...Object.entries(changes).map(([name, change]): Route<UserServices> => ({
      method: "POST",
      path: `${user}/${name}`,
      permission,
      run: (context) => changeUser(context, change),
    })),
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

async function changeUser(
  context: UsersContext,
  { method, done, notOwn, next }: UserChange,
): Promise<PageResult> {
  const { services, by, write } = context;
  const { seq, name } = userOf(context);
  requireOther(context, seq, notOwn);
  await write(() => services.accountManagement[method](seq, { by }));
  return redirect(next ?? userPath(seq), done(name));
}

/** @throws PublicError `bad_request` with the message, if there is one, for the visitor's own account */
function requireOther({ account: self }: UsersContext, seq: number, message: string | undefined): void {
  if (message !== undefined && seq === self.seq) throw badRequest(message);
}

/** Creates a link to choose a password with. */
async function resetUser(context: UsersContext): Promise<PageResult> {
  const { services, by, write, putOnce } = context;
  const { seq } = userOf(context);
  requireOther(context, seq, needsProof);
  const link = await write(() => services.accountManagement.reset(seq, {}, { by }));
  putOnce(shownLinkName(seq), link);
  return redirect(userLinkPath(seq));
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
        <EntryName entry={{ name }} /> signs in with the password only, until the account has new one-time
        codes. Do this only if you are sure that the person asked for it, for example because of a lost phone.
        This cannot be undone.
      </p>
    </Confirm>,
  );
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
        The link of <EntryName entry={{ name }} /> stops working, and the account is deleted. The name can be
        used again.
      </p>
    </Confirm>,
  );
}

const crumbs = [{ label: "Users", path: usersPath }];
/** A link that was just created, kept for the next page. */
interface ShownLink {
  token: string;
  expiresAt: number;
}
const shownLinkName = (seq: number) => `link ${seq}`;

function showInviteForm({ form }: UsersContext, errors: FieldErrors = {}): PageResult {
  return page(
    {
      title: "Invite user",
      crumbs,
      lead: "Creates an account, and a link with which the person chooses a password.",
      errors,
      class: "narrow",
    },
    <Form action={inviteUserPath} class="stack" form={form} errors={errors}>
      <FormFields
        fields={inviteForm.fields}
        set={{
          name: {
            maxLength: accountNameCharactersMax,
            hint: `Shown with everything that the person does. ${capitalized(accountNameRule)}.`,
          },
          role: { choices: roleChoices },
        }}
      />
      <FormButtons submit="Create link" back={usersPath} />
    </Form>,
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
    { title: "Link created", crumbs, class: "narrow stack" },
    <>
      <p>
        Send this link to <EntryName entry={{ name }} /> to choose a{password === null ? "" : " new"}{" "}
        password. It works once, until <Time at={link.expiresAt} />. Copy it now: it is not shown again.
        Anyone who has it can use it.
      </p>
      <Copyable text={`${services.publicUrl()}${invitationPath(link.token)}`} label="the link" secret />
      <p>
        <LinkButton path={userPath(seq)} label="Done" variant="primary" />
      </p>
    </>,
  );
}

/** @throws FieldError of `role` */
function readRole(form: URLSearchParams) {
  const role = roles.find((one) => one === form.get("role"));
  if (role === undefined) throw new FieldError("role", `Choose one of these roles: ${roles.join(", ")}.`);
  return role;
}

function readLifetime(form: URLSearchParams): number {
  const { choices, initial } = inviteForm.fields.find(({ name }) => name === "days")!;
  const days = form.get("days") ?? initial;
  if (choices?.some(({ value }) => value === days) !== true)
    throw new FieldError("days", "Choose one of the listed times.");
  return Number(days) * dayMs;
}

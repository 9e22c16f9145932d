import { accountNameCharactersMax, accountNameRule } from "../../../../access/accounts/account-names.ts";
import { dayMs } from "../../../../platform/lib/clock.ts";
import { FieldError } from "../../../../platform/lib/errors.ts";
import { capitalized } from "../../../../platform/lib/wording.ts";
import { roles } from "../../../../platform/vocabulary/permissions.ts";
import { Copyable, FormError, LinkButton, PageHead, Time } from "../../kit/components.tsx";
import { attempt, wholeForm, type FieldErrors } from "../../kit/fields.ts";
import { Button, Choices, Form, Select, TextField } from "../../kit/form.tsx";
import { Text } from "../../kit/name.tsx";
import { page, redirect, type PageResult } from "../../kit/page-result.ts";
import { invitationPath, inviteUserPath, userLinkPath, userPath, usersPath } from "../../kit/paths.ts";
import { roleWords } from "../../kit/labels.ts";
import { userOf } from "./detail.tsx";
import type { UsersContext } from "./list.tsx";

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
export const shownLinkName = (seq: number) => `link ${seq}`;

export function showInviteForm({ form }: UsersContext, errors: FieldErrors = {}): PageResult {
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

export async function inviteUser(context: UsersContext): Promise<PageResult> {
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
export function showLink(context: UsersContext): PageResult {
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
export function readRole(form: URLSearchParams) {
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

import { dayMs, type Instant } from "../../../lib/clock.ts";
import { badRequest } from "../../../lib/errors.ts";
import {
  defaultPlan,
  defaultScopes,
  planLimits,
  plans,
  scopes,
  type Scope,
} from "../../../vocabulary/keys.ts";
import { LinkButton, PageHead, FormError } from "../../kit/components.tsx";
import { attempt, parseDay, splitList } from "../../kit/fields.ts";
import { Button, Choices, Form, Select, TextField, type Choice } from "../../kit/form.tsx";
import { ProtectedDomainsField } from "../../threat-kit/protected-domains-field.tsx";
import { page, redirect } from "../../kit/page-result.ts";
import { keysPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";

const path = keysPath;
const planChoices: Choice[] = plans.map((plan) => {
  const limit = planLimits[plan];
  return { value: plan, label: `${plan}: ${limit === null ? "no limit" : `${limit} requests per minute`}` };
});

const scopeHints: Record<Scope, string> = {
  "threats:read": "list and read threats",
  "threats:write": "change a threat's status",
  "candidates:write": "submit names to check",
};
const scopeChoices: Choice[] = scopes.map((scope) => ({
  value: scope,
  label: scope,
  hint: scopeHints[scope],
}));

const expiries = [
  { value: "", label: "never" },
  { value: "7", label: "in 7 days" },
  { value: "30", label: "in 30 days" },
  { value: "90", label: "in 90 days" },
  { value: "365", label: "in a year" },
];

export function showKeyForm(
  { services: { domains } }: Context<"domains">,
  form: URLSearchParams,
  message?: string,
) {
  const isFilledIn = form.size > 0;
  const names = domains.list().flatMap(({ domain, enabled }) => (enabled ? [domain] : []));
  const bound = form.getAll("domains").flatMap(splitList);
  return page(
    "Create Key",
    <div class="narrow">
      <PageHead
        title="Create Key"
        back={{ label: "API Keys", path }}
        lead="The key is shown once, on the next page."
      />
      <FormError message={message} />
      <Form action={`${path}/create`}>
        <TextField
          label="Name"
          name="name"
          value={form.get("name") ?? ""}
          required
          maxLength={100}
          autofocus
          hint="The program that uses the key, such as “SIEM” or “nightly import”."
        />
        <Choices
          label="Scopes"
          name="scopes"
          choices={scopeChoices}
          values={isFilledIn ? form.getAll("scopes") : defaultScopes}
        />
        <Select label="Plan" name="plan" choices={planChoices} value={form.get("plan") ?? defaultPlan} />
        <ProtectedDomainsField
          label="Protected domains"
          name="domains"
          domains={names}
          values={bound}
          hint="Leave empty to allow access to threats of all protected domains, including future ones."
        />
        <Select label="Expires" name="expires_in" choices={expiries} value={form.get("expires_in") ?? ""} />
        <TextField
          label="Expires on"
          name="expires_on"
          type="date"
          value={form.get("expires_on") ?? ""}
          hint="Overrides the choice above. The key expires at the end of this day, UTC."
        />
        <div class="line">
          <Button label="Create Key" />
          <LinkButton path={path} label="Cancel" />
        </div>
      </Form>
    </div>,
    { status: message === undefined ? 200 : 400 },
  );
}

export async function createKey(context: Context<"domains" | "keys">) {
  const { form, services, by, putOnce, now } = context;
  const created = await attempt(() => {
    const plan = plans.find((one) => one === form.get("plan"));
    if (plan === undefined) throw badRequest(`Choose one of these plans: ${plans.join(", ")}.`);
    const wanted = {
      name: (form.get("name") ?? "").trim(),
      plan,
      scopes: scopes.filter((scope) => form.getAll("scopes").includes(scope)),
      domains: form.getAll("domains").flatMap(splitList),
      ...readExpiry(form, now),
    };
    return context.write(() => services.keys.create(wanted, { by }));
  });
  if (!created.ok) return showKeyForm(context, form, created.message);
  const { record, key } = created.value;
  putOnce(`key ${record.id}`, key);
  return redirect(`${path}/${record.id}/made`);
}

function readExpiry(form: URLSearchParams, now: Instant): { expiresAt?: Instant } {
  const day = form.get("expires_on") ?? "";
  if (day !== "") {
    const start = parseDay(day);
    if (start === undefined) throw badRequest("Enter the expiration date as YYYY-MM-DD, such as 2027-01-31.");
    return { expiresAt: start + dayMs };
  }
  const days = form.get("expires_in") ?? "";
  if (days === "") return {};
  if (!expiries.some(({ value }) => value === days))
    throw badRequest("Choose one of the listed expiration times.");
  return { expiresAt: now + Number(days) * dayMs };
}

import { defaultPlan, defaultScopes, planLimits, plans, scopes } from "../../../vocabulary/keys.ts";
import { badRequest } from "../../../lib/errors.ts";
import type { Instant } from "../../../lib/clock.ts";
import { page, redirect } from "../../kit/page-result.ts";
import { attempt, dayIn, listIn } from "../../kit/fields.ts";
import { Button, Choices, Form, Select, TextArea, TextField, type Choice } from "../../kit/form.tsx";
import { LinkButton, PageHead, Refusal } from "../../kit/kit.tsx";
import { keysPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";

const path = keysPath;
const dayMs = 86_400_000;
/** More protected domains are not offered as boxes to tick. */
const boxesMax = 30;

const planChoices: Choice[] = plans.map((plan) => {
  const limit = planLimits[plan];
  return { value: plan, label: `${plan}: ${limit === null ? "no limit" : `${limit} requests a minute`}` };
});

const scopeChoices: Choice[] = [
  { value: "threats:read", label: "threats:read", hint: "list and read threats" },
  { value: "threats:write", label: "threats:write", hint: "change a threat's status" },
  { value: "candidates:write", label: "candidates:write", hint: "hand in names to be checked" },
];

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
  const asked = form.size > 0;
  const names = domains.list().flatMap(({ domain, enabled }) => (enabled ? [domain] : []));
  const bound = form.getAll("domains").flatMap(listIn);
  const domainsLabel = "Only threats of these protected domains";
  const domainsHint = "None: all, also those that are added later.";
  return page(
    "Create Key",
    <div class="narrow">
      <PageHead
        title="Create Key"
        back={{ label: "API Keys", path }}
        lead="The key is shown once, on the next page."
      />
      <Refusal message={message} />
      <Form action={`${path}/create`}>
        <TextField
          label="Name"
          name="name"
          value={form.get("name") ?? ""}
          required
          maxLength={100}
          autofocus
          hint="For people: what uses it, such as “SIEM” or “nightly import”."
        />
        <Choices
          label="It may"
          name="scopes"
          choices={scopeChoices}
          values={asked ? form.getAll("scopes") : defaultScopes}
        />
        <Select label="Plan" name="plan" choices={planChoices} value={form.get("plan") ?? defaultPlan} />
        {names.length > 0 && names.length <= boxesMax ? (
          <Choices
            label={domainsLabel}
            name="domains"
            choices={names.map((name) => ({ value: name, label: name }))}
            values={bound}
            hint={domainsHint}
          />
        ) : (
          <TextArea
            label={domainsLabel}
            name="domains"
            value={bound.join("\n")}
            hint={`One a line. ${domainsHint}`}
          />
        )}
        <Select label="Expires" name="expires_in" choices={expiries} value={form.get("expires_in") ?? ""} />
        <TextField
          label="Or on a day of your own"
          name="expires_on"
          type="date"
          value={form.get("expires_on") ?? ""}
          hint="At the end of that day, UTC."
        />
        <div class="actions">
          <Button label="Create Key" />
          <LinkButton path={path} label="Cancel" variant="outline" />
        </div>
      </Form>
    </div>,
    { status: message === undefined ? 200 : 400 },
  );
}

export async function createKey(context: Context<"domains" | "keys">) {
  const { form, services, by, putOnce, now } = context;
  const made = await attempt(() => {
    const plan = plans.find((one) => one === form.get("plan"));
    if (plan === undefined) throw badRequest(`Choose one of the plans ${plans.join(", ")}.`);
    return services.keys.create(
      {
        name: (form.get("name") ?? "").trim(),
        plan,
        scopes: scopes.filter((scope) => form.getAll("scopes").includes(scope)),
        domains: form.getAll("domains").flatMap(listIn),
        ...readExpiry(form, now),
      },
      by,
    );
  });
  if (!made.ok) return showKeyForm(context, form, made.message);
  const { record, key } = made.value;
  putOnce(`key ${record.id}`, key);
  return redirect(`${path}/${record.id}/made`);
}

function readExpiry(form: URLSearchParams, now: Instant): { expiresAt?: Instant } {
  const day = form.get("expires_on") ?? "";
  if (day !== "") {
    const start = dayIn(day);
    if (start === undefined) throw badRequest("The day of expiry is written as 2027-01-31.");
    return { expiresAt: start + dayMs };
  }
  const days = form.get("expires_in") ?? "";
  if (days === "") return {};
  if (!expiries.some(({ value }) => value === days))
    throw badRequest("Choose one of the given times of expiry.");
  return { expiresAt: now + Number(days) * dayMs };
}

import { dayMs, type Instant } from "../../../../platform/lib/clock.ts";
import { FieldError, badRequest, notFound } from "../../../../platform/lib/errors.ts";
import {
  defaultPlan,
  defaultScopes,
  planLimits,
  plans,
  scopes,
  type Scope,
} from "../../../../platform/vocabulary/keys.ts";
import type { ApiKey } from "../../../../access/keys/keys.ts";
import { isId } from "../../../../platform/lib/ids.ts";
import { shellWord } from "../../../../platform/lib/shell-word.ts";
import { keysPath as path } from "../../kit/paths.ts";
import type { PageGroup, Context } from "../../shell/router.ts";
import { LinkButton, PageHead, FormError, Confirm, Copyable, Section, Time } from "../../kit/components.tsx";
import { attempt, parseDay, splitList, wholeForm, type FieldErrors } from "../../kit/fields.ts";
import { Button, Choices, Form, Select, TextField, type Choice } from "../../kit/form.tsx";
import { readOnlyThese } from "../../kit/only-these.tsx";
import { ProtectedDomainsField } from "../../threat-kit/event-filter.tsx";
import { page, redirect } from "../../kit/page-result.ts";
import { Text } from "../../kit/name.tsx";
import { listKeys } from "./list.tsx";

/** Settings → API keys. */
export const keyPages: PageGroup = {
  nav: { section: "settings", label: "API keys", icon: "key", path },
  routes: [
    { method: "GET", path, permission: "read", run: listKeys },
    {
      method: "GET",
      path: `${path}/create`,
      permission: "administer",
      run: (context) => showKeyForm(context, context.query),
    },
    { method: "POST", path: `${path}/create`, permission: "administer", run: createKey },
    { method: "GET", path: `${path}/:id/made`, permission: "administer", run: showCreatedKey },
    { method: "GET", path: `${path}/:id/revoke`, permission: "administer", run: confirmRevocation },
    { method: "POST", path: `${path}/:id/revoke`, permission: "administer", run: revokeKey },
  ],
};

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

function showKeyForm(
  { services: { domains } }: Context<"domains">,
  form: URLSearchParams,
  errors: FieldErrors = {},
) {
  const isFilledIn = form.size > 0;
  const names = domains.list().flatMap(({ domain, enabled }) => (enabled ? [domain] : []));
  return page(
    "Create API key",
    <div class="narrow">
      <PageHead
        title="Create API key"
        crumbs={[{ label: "API keys", path }]}
        lead="The key is shown once, on the next page."
      />
      <FormError message={errors[wholeForm]} />
      <Form action={`${path}/create`} form={form} errors={errors}>
        <TextField
          label="Name"
          name="name"
          value={form.get("name") ?? ""}
          required
          maxLength={100}
          autofocus
          hint="The program that uses the key, such as “SIEM” or “nightly import”."
          error={errors["name"]}
        />
        <h2>What it may do</h2>
        <Choices
          label="Scopes"
          name="scopes"
          choices={scopeChoices}
          values={isFilledIn ? form.getAll("scopes") : defaultScopes}
          help="scope"
          error={errors["scopes"]}
        />
        <ProtectedDomainsField name="domains" domains={names} help="key_domains" />
        <h2>Limits</h2>
        <Select
          label="Plan"
          name="plan"
          choices={planChoices}
          value={form.get("plan") ?? defaultPlan}
          help="plan"
          error={errors["plan"]}
        />
        <Select
          label="Expires"
          name="expires_in"
          choices={expiries}
          value={form.get("expires_in") ?? ""}
          error={errors["expires_in"]}
        />
        <TextField
          label="Or on a day"
          name="expires_on"
          type="date"
          value={form.get("expires_on") ?? ""}
          hint="Overrides the choice above. The key expires at the end of this day, UTC."
          error={errors["expires_on"]}
        />
        <div class="line">
          <Button label="Create API key" variant="primary" />
          <LinkButton path={path} label="Cancel" variant="plain" />
        </div>
      </Form>
    </div>,
    { status: Object.keys(errors).length === 0 ? 200 : 400 },
  );
}

async function createKey(context: Context<"domains" | "keys">) {
  const { form, services, by, putOnce, now } = context;
  const created = await attempt(() => {
    const plan = plans.find((one) => one === form.get("plan"));
    if (plan === undefined) throw new FieldError("plan", `Choose one of these plans: ${plans.join(", ")}.`);
    const wanted = {
      name: (form.get("name") ?? "").trim(),
      plan,
      scopes: scopes.filter((scope) => form.getAll("scopes").includes(scope)),
      domains: readOnlyThese(form, "domains", form.getAll("domains").flatMap(splitList)),
      ...readExpiry(form, now),
    };
    return context.write(() => services.keys.create(wanted, { by }));
  });
  if (!created.ok) return showKeyForm(context, form, created.errors);
  const { record, key } = created.value;
  putOnce(`key ${record.id}`, key);
  return redirect(`${path}/${record.id}/made`);
}

function readExpiry(form: URLSearchParams, now: Instant): { expiresAt?: Instant } {
  const day = form.get("expires_on") ?? "";
  if (day !== "") {
    const start = parseDay(day);
    if (start === undefined)
      throw new FieldError("expires_on", "Enter the expiration date as YYYY-MM-DD, such as 2027-01-31.");
    return { expiresAt: start + dayMs };
  }
  const days = form.get("expires_in") ?? "";
  if (days === "") return {};
  if (!expiries.some(({ value }) => value === days))
    throw new FieldError("expires_in", "Choose one of the listed expiration times.");
  return { expiresAt: now + Number(days) * dayMs };
}

/** Shows a key right after it was created, once. */
function showCreatedKey({ params, services, takeOnce }: Context<"keys" | "publicUrl">) {
  const record = keyOf(params["id"]!, services.keys.list());
  const key = takeOnce<string>(`key ${record.id}`);
  if (key === undefined)
    return redirect(path, {
      tone: "warning",
      text: "A key is shown only once. If you lost it, revoke it and create another.",
    });
  return page(
    "API key created",
    <div class="narrow">
      <PageHead title="API key created" crumbs={[{ label: "API keys", path }]} />
      <p>
        This is the key of{" "}
        <strong>
          <Text text={record.name} />
        </strong>
        . Copy it now: it is not shown again.
      </p>
      <Copyable text={key} label="the key" secret />
      <Section title="Try it">
        <Copyable text={exampleCommand(record, key, services.publicUrl())} label="the command" />
        <p class="hint">
          For all operations, see the <a href="/docs/api">API reference</a>.
        </p>
      </Section>
      <LinkButton path={path} label="Done" variant="primary" />
    </div>,
  );
}

/** Returns a command that succeeds with the key's scopes and changes nothing. */
function exampleCommand(record: ApiKey, key: string, url: string): string {
  const header = `-H 'Authorization: Bearer ${key}'`;
  if (record.scopes.includes("threats:read")) return `curl ${header} ${shellWord(`${url}/v1/threats`)}`;
  const json = `-H 'Content-Type: application/json'`;
  if (record.scopes.includes("candidates:write"))
    return `curl ${header} ${json} -d '{"domains":["example.com"]}' ${shellWord(`${url}/v1/candidates`)}`;
  return `curl ${header} ${json} -d '{"ids":["thr_01h455vb4pex5vsknk084sn02q"],"action":"resolve"}' ${shellWord(`${url}/v1/threats/batch`)}`;
}

function confirmRevocation({ params, services }: Context<"keys">) {
  const { id, name, prefix, origin, lastUsedAt } = keyOf(params["id"]!, services.keys.list());
  if (origin === "file")
    throw badRequest("This key is declared in the configuration file. To revoke it, remove it there.");
  return page(
    "Revoke key",
    <Confirm title="Revoke this key?" action={`${path}/${id}/revoke`} button="Revoke key" back={path}>
      <p>
        Requests with{" "}
        <strong>
          <Text text={name} />
        </strong>{" "}
        (<code>{prefix}…</code>) will be rejected immediately. This cannot be undone.
      </p>
      <p>
        {lastUsedAt === null ? (
          "Never used."
        ) : (
          <>
            Last used <Time at={lastUsedAt} relative />.
          </>
        )}
      </p>
    </Confirm>,
  );
}

async function revokeKey({ params, services, by, write }: Context<"keys">) {
  const { id } = keyOf(params["id"]!, services.keys.list());
  const { name } = await write(() => services.keys.revoke(id, { by }));
  return redirect(path, `Key ${name} revoked.`);
}

function keyOf(id: string, keys: readonly ApiKey[]): ApiKey {
  const found = isId("apiKey", id) ? keys.find((key) => key.id === id) : undefined;
  if (found === undefined) throw notFound("There is no API key with this ID.");
  return found;
}

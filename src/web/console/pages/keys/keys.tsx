import { dayMs, type Instant } from "../../../../platform/lib/clock.ts";
import { FieldError, badRequest, notFound } from "../../../../platform/lib/errors.ts";
import {
  defaultPlan,
  defaultScopes,
  planLimits,
  plans,
  scopes,
} from "../../../../platform/vocabulary/keys.ts";
import type { ApiKey } from "../../../../access/keys/keys.ts";
import { isId } from "../../../../platform/lib/ids.ts";
import { shellWord } from "../../../../platform/lib/shell-word.ts";
import { keysPath as path } from "../../kit/paths.ts";
import type { PageGroup, Context } from "../../shell/router.ts";
import { FormButtons, LinkButton, Confirm, Copyable, Section, Time } from "../../kit/components.tsx";
import { attempt, parseDay, splitList, type FieldErrors } from "../../kit/fields.ts";
import { FormFields } from "../../kit/form-fields.tsx";
import { Form, type Choice } from "../../kit/form.tsx";
import { readOnlyThese } from "../../kit/only-these.tsx";
import { enabledDomains, ProtectedDomainsField } from "../../threat-kit/event-filter.tsx";
import { page, redirect } from "../../kit/page-result.ts";
import { EntryName } from "../../entries/entry-pages.tsx";
import keyForm from "./key-form.json" with { type: "json" };
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

const { expiries, fields, scopes: scopeHints } = keyForm;

const planChoices: Choice[] = plans.map((plan) => {
  const limit = planLimits[plan];
  return { value: plan, label: `${plan}: ${limit === null ? "no limit" : `${limit} requests per minute`}` };
});

const scopeChoices = scopes.map((scope) => ({ value: scope, label: scope, hint: scopeHints[scope] }));

function showKeyForm(
  { services: { domains } }: Context<"domains">,
  form: URLSearchParams,
  errors: FieldErrors = {},
) {
  return page(
    {
      title: "Create API key",
      crumbs: [{ label: "API keys", path }],
      lead: "The key is shown once, on the next page.",
      errors,
      class: "narrow",
    },
    <Form action={`${path}/create`} form={form} errors={errors}>
      <FormFields
        fields={fields}
        set={{
          scopes: { choices: scopeChoices, ...(form.size === 0 ? { values: defaultScopes } : {}) },
          plan: { choices: planChoices, initial: defaultPlan },
          expires_in: { choices: expiries },
        }}
        parts={{
          domains: (
            <ProtectedDomainsField name="domains" domains={enabledDomains(domains)} help="key_domains" />
          ),
        }}
      />
      <FormButtons submit="Create API key" back={path} />
    </Form>,
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
    { title: "API key created", crumbs: [{ label: "API keys", path }], class: "narrow" },
    <>
      <p>
        This is the key of <EntryName entry={record} />. Copy it now: it is not shown again.
      </p>
      <Copyable text={key} label="the key" secret />
      <Section title="Try it">
        <Copyable text={exampleCommand(record, key, services.publicUrl())} label="the command" />
        <p class="hint">
          For all operations, see the <a href="/docs/api">API reference</a>.
        </p>
      </Section>
      <LinkButton path={path} label="Done" variant="primary" />
    </>,
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
  const record = keyOf(params["id"]!, services.keys.list());
  const { id, prefix, origin, lastUsedAt } = record;
  if (origin === "file")
    throw badRequest("This key is declared in the configuration file. To revoke it, remove it there.");
  return page(
    "Revoke key",
    <Confirm title="Revoke this key?" action={`${path}/${id}/revoke`} button="Revoke key" back={path}>
      <p>
        Requests with <EntryName entry={record} /> (<code>{prefix}…</code>) will be rejected immediately. This
        cannot be undone.
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

import { formatDuration, durationForm, parseDuration } from "../../../../platform/lib/durations.ts";
import { FieldError } from "../../../../platform/lib/errors.ts";
import { defaultFilter, type List, type ListFilter } from "../../../../response/outputs/block-lists/list.ts";
import { severities, statuses } from "../../../../platform/vocabulary/threats.ts";
import { FormError, LinkButton, PageHead } from "../../kit/components.tsx";
import { enabledDomains } from "../../threat-kit/event-filter.tsx";
import { attempt, splitList, wholeForm, type FieldErrors } from "../../kit/fields.ts";
import { Button, Checkbox, Choices, Form, Select, TextField, type Choice } from "../../kit/form.tsx";
import { Help } from "../../kit/disclosure.tsx";
import { inWords } from "../../kit/labels.ts";
import { readOnlyThese } from "../../kit/only-these.tsx";
import { page, redirect, type PageResult } from "../../kit/page-result.ts";
import { listPath, listsPath } from "../../kit/paths.ts";
import { ProtectedDomainsField } from "../../threat-kit/protected-domains-field.tsx";
import type { Context } from "../../shell/router.ts";
import { editableList } from "./actions.tsx";

type FormContext = Context<"domains" | "lists">;

const statusChoices: Choice[] = statuses.map((status) => ({ value: status, label: inWords(status) }));
const severityChoices: Choice[] = severities.map((severity) => ({ value: severity, label: severity }));

export function newList(context: FormContext): PageResult {
  return showForm(context, { form: formOf(defaultFilter) });
}

export async function addList(context: FormContext): Promise<PageResult> {
  const { by, form, services, write } = context;
  const name = (form.get("name") ?? "").trim();
  const added = await attempt(() => {
    const filter = readFilter(form);
    return write(() => services.lists.add({ name, ...filter }, { by }));
  });
  if (!added.ok) return showForm(context, { form, errors: added.errors });
  return redirect(listPath(added.value.id), `${name} has been added.`);
}

export function editList(context: FormContext): PageResult {
  const list = editableList(context);
  return showForm(context, { form: formOf(list), list });
}

export async function changeList(context: FormContext): Promise<PageResult> {
  const { by, form, services, write } = context;
  const list = editableList(context);
  const changed = await attempt(() => {
    const filter = readFilter(form);
    return write(() => services.lists.change(list.id, filter, { by }));
  });
  if (!changed.ok) return showForm(context, { form, list, errors: changed.errors });
  return redirect(listPath(list.id), `${list.name} has been changed.`);
}

/** Shows the form of a new list, or of a change of `list`. */
function showForm(
  { services: { domains } }: FormContext,
  { form, list, errors = {} }: { form: URLSearchParams; list?: List; errors?: FieldErrors },
): PageResult {
  const title = list === undefined ? "Add list" : `Edit ${list.name}`;
  const back =
    list === undefined
      ? { label: "Block lists", path: listsPath }
      : { label: list.name, path: listPath(list.id) };
  return page(
    title,
    <div class="narrow">
      <PageHead title={title} crumbs={[back]} lead="Threats that match are listed as soon as they do." />
      <FormError message={errors[wholeForm]} />
      <Form action={list === undefined ? `${listsPath}/add` : `${back.path}/edit`}>
        {list === undefined ? (
          <TextField
            label="Name"
            name="name"
            value={form.get("name") ?? ""}
            required
            maxLength={64}
            placeholder="block"
            autofocus
            hint="Part of the address: ASCII letters, digits, _ and -."
            error={errors["name"]}
          />
        ) : null}
        <Choices
          label="Status of the threats"
          name="statuses"
          choices={statusChoices}
          values={form.getAll("statuses")}
          hint="Resolved threats may come back: list them for as long as you want to block them."
          error={errors["statuses"]}
        />
        <Select
          label="Minimum severity"
          name="min_severity"
          choices={severityChoices}
          value={form.get("min_severity") ?? ""}
          error={errors["min_severity"]}
          help={
            <Help about="the minimum severity of a list" manual="block-lists#what-is-listed">
              Only threats of this severity or a higher one are listed, and blocked by those who use the list.
            </Help>
          }
        />
        <Checkbox
          label="Only verified threats: the name is known to exist, or its page was seen"
          name="verified_only"
          checked={form.get("verified_only") === "yes"}
        />
        <ProtectedDomainsField
          name="protected_domains"
          domains={enabledDomains(domains)}
          form={form}
          error={errors["protected_domains"]}
        />
        <TextField
          label="Maximum age"
          name="max_age"
          value={form.get("max_age") ?? ""}
          placeholder="30d"
          maxLength={20}
          hint="Such as 30d. Leave empty to list threats for as long as they match."
          help={
            <Help about="the maximum age" manual="block-lists#what-is-listed">
              A threat leaves the list this long after it was first seen, whatever its status.
            </Help>
          }
          error={errors["max_age"]}
        />
        <div class="line">
          <Button label={list === undefined ? "Add list" : "Save"} variant="primary" />
          <LinkButton path={back.path} label="Cancel" variant="plain" />
        </div>
      </Form>
    </div>,
    { status: Object.keys(errors).length === 0 ? 200 : 400 },
  );
}

function formOf({ maxAgeMs, minSeverity, protectedDomains, statuses: wanted, verifiedOnly }: ListFilter) {
  return new URLSearchParams([
    ...wanted.map((status) => ["statuses", status]),
    ["min_severity", minSeverity],
    ["verified_only", verifiedOnly ? "yes" : ""],
    ...protectedDomains.map((domain) => ["protected_domains", domain]),
    ["max_age", maxAgeMs === null ? "" : formatDuration(maxAgeMs)],
  ]);
}

/** @throws PublicError `bad_request`; the service checks the rest */
function readFilter(form: URLSearchParams): ListFilter {
  const age = (form.get("max_age") ?? "").trim();
  const maxAgeMs = age === "" ? null : parseDuration(age);
  if (age !== "" && maxAgeMs === null)
    throw new FieldError("max_age", `the maximum age must be ${durationForm}`);
  const minSeverity = severities.find((severity) => severity === form.get("min_severity"));
  if (minSeverity === undefined)
    throw new FieldError("min_severity", `choose one of these severities: ${severities.join(", ")}`);
  return {
    statuses: statuses.filter((status) => form.getAll("statuses").includes(status)),
    minSeverity,
    verifiedOnly: form.get("verified_only") === "yes",
    protectedDomains: readOnlyThese(
      form,
      "protected_domains",
      form.getAll("protected_domains").flatMap(splitList),
    ),
    maxAgeMs,
  };
}

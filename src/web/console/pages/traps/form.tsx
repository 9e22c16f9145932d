import { dayMs } from "../../../../platform/lib/clock.ts";
import { badRequest } from "../../../../platform/lib/errors.ts";
import type { TrapKind } from "../../../../response/traps/kind.ts";
import type { FieldValues, TrapField } from "../../../../response/traps/presentation.ts";
import { FormError, LinkButton, PageHead } from "../../kit/components.tsx";
import { attempt, parseDay, splitList } from "../../kit/fields.ts";
import { Button, Choices, Form, Select, TextArea, TextField } from "../../kit/form.tsx";
import { page, redirect, type PageResult } from "../../kit/page-result.ts";
import { newDomainPath, newTrapPath, trapPath, trapsPath } from "../../kit/paths.ts";
import { Empty } from "../../kit/table.tsx";
import type { Context } from "../../shell/router.ts";

type FormContext = Context<"domains" | "traps">;

export function newTrap(context: FormContext, kind: TrapKind): PageResult {
  return formPage(context, kind, (name) => context.query.get(name) ?? "");
}

export async function createTrap(context: FormContext, kind: TrapKind): Promise<PageResult> {
  const { services, form, by } = context;
  const { create, fields, read } = kind.presentation;
  const given = (name: string) => (form.get(name) ?? "").trim();
  const created = await attempt(() => {
    const wanted = {
      ...read(valuesIn(fields, given)),
      memo: given("memo"),
      ...(given("name") === "" ? {} : { name: given("name") }),
    };
    return context.write(() => services.traps.of(kind).create(wanted, { by }));
  });
  if (!created.ok) return formPage(context, kind, given, created.message);
  return redirect(trapPath(kind.name, created.value.id), create.done);
}

/** @throws PublicError `bad_request` */
function valuesIn(fields: readonly TrapField[], given: (name: string) => string): FieldValues {
  return Object.fromEntries(fields.map((field) => [field.name, valueIn(field, given(field.name))]));
}

/** A day that ends something includes the day itself. */
function valueIn({ type, label }: TrapField, text: string): FieldValues[string] {
  if (type === "hosts") return splitList(text);
  if (type !== "expiry" || text === "") return type === "expiry" ? undefined : text;
  const day = parseDay(text);
  if (day === undefined) throw badRequest(`${label} must be a day such as 2027-01-31.`);
  return day + dayMs;
}

function formPage(
  { services }: FormContext,
  kind: TrapKind,
  given: (name: string) => string,
  error?: string,
): PageResult {
  const { create, fields, texts, title: listTitle } = kind.presentation;
  const domains = services.domains
    .list()
    .filter(({ enabled }) => enabled)
    .map(({ domain }) => domain);
  const needsDomain = domains.length === 0 && fields.some(({ type }) => type === "protected_domain");
  const title = `Create ${kind.name}`;
  return page(
    title,
    <>
      <PageHead
        title={title}
        crumbs={[{ label: listTitle, path: trapsPath(kind.name) }]}
        {...(create.lead === undefined ? {} : { lead: create.lead })}
      />
      <FormError message={error} />
      {needsDomain ? (
        <Empty
          title="No protected domains yet"
          action={<LinkButton path={newDomainPath} label="Add domain" icon="plus" variant="primary" />}
        >
          A {kind.name} belongs to a protected domain.
        </Empty>
      ) : (
        <Form action={newTrapPath(kind.name)} class="narrow trap-form">
          {fields.slice(0, 1).map((field) => (
            <Control field={field} value={given(field.name)} domains={domains} />
          ))}
          <TextField label="Name" name="name" value={given("name")} maxLength={100} hint={texts.nameHint} />
          <TextField label="Memo" name="memo" value={given("memo")} maxLength={1_000} hint={texts.memoHint} />
          {fields.slice(1).map((field) => (
            <div class={field.only === undefined ? undefined : onlyClasses[field.only]}>
              <Control field={field} value={given(field.name)} domains={domains} />
            </div>
          ))}
          <p class="line">
            <Button label={`Create ${kind.name}`} variant="primary" />
            <LinkButton path={trapsPath(kind.name)} label="Cancel" />
          </p>
        </Form>
      )}
    </>,
    error === undefined ? {} : { status: 400 },
  );
}

/** Hides fields that do not apply to what is chosen. */
const onlyClasses = { link: "only-link", page: "only-page", redirect: "only-redirect" } as const;

function Control({ field, value, domains }: { field: TrapField; value: string; domains: readonly string[] }) {
  const { label, name } = field;
  const shared = { label, name, ...(field.hint === undefined ? {} : { hint: field.hint }) };
  switch (field.type) {
    case "protected_domain":
      return (
        <Select
          {...shared}
          value={value}
          choices={domains.map((domain) => ({ value: domain, label: domain }))}
        />
      );
    case "choice":
      return (
        <Choices {...shared} choices={field.choices} values={[value || field.choices[0]!.value]} single />
      );
    case "hosts":
      return <TextArea {...shared} value={value} rows={3} />;
    case "multiline":
      return <TextArea {...shared} value={value} rows={3} maxLength={field.lengthMax} />;
    case "expiry":
      return <TextField {...shared} value={value} type="date" />;
    case "text":
      return <TextField {...shared} value={value} maxLength={field.lengthMax} />;
    case "url":
      // A browser does not submit a form with an invalid URL in a field that is hidden.
      return <TextField {...shared} value={value} maxLength={field.lengthMax} placeholder="https://" />;
  }
}

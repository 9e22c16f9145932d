import type { EntryField, EntryValues, SettingField } from "../../../access/entries/presentation.ts";
import { durationForm, formatDuration, parseDuration } from "../../../platform/lib/durations.ts";
import { badRequest } from "../../../platform/lib/errors.ts";
import { Help } from "../kit/disclosure.tsx";
import { createFieldReader, splitList, type FieldErrors } from "../kit/fields.ts";
import { Checkbox, Choices, Select, TextField, readOnlyThese } from "../kit/form.tsx";
import { inWords } from "../kit/labels.ts";
import { ProtectedDomainsField } from "../threat-kit/event-filter.tsx";

/** The settings of entries as controls of a form. */

type Controlled = SettingField & Required<Pick<SettingField, "control">>;

function isControlled(field: EntryField): field is Controlled {
  return field.control !== undefined;
}

/** Returns the initial values of a form for an entry, or for the defaults of a new one. */
export function formOfFields(fields: readonly EntryField[], settings: object): URLSearchParams {
  const values = new Map(Object.entries(settings));
  return new URLSearchParams(
    fields.filter(isControlled).flatMap((field) => {
      const { key } = field.control;
      return textsOf(field, values.get(field.name)).map((text): [string, string] => [key, text]);
    }),
  );
}

function textsOf({ type }: EntryField, value: unknown): string[] {
  if (Array.isArray(value)) return value.map(String);
  if (value === null || value === undefined) return [""];
  if (type === "duration") return [formatDuration(Number(value))];
  return [value === true ? "yes" : value === false ? "" : String(value)];
}

/** Reads the settings from a form; `errors` is empty if all of them can be read. The service validates them. */
export function readFormFields(
  fields: readonly EntryField[],
  form: URLSearchParams,
): { values: EntryValues; errors: FieldErrors } {
  const { errors, field: read } = createFieldReader();
  const values: EntryValues = {};
  for (const field of fields.filter(isControlled))
    values[field.name] = read(field.control.key, () => valueIn(field, form), undefined);
  return { values, errors };
}

/** @throws PublicError `bad_request` */
function valueIn(field: Controlled, form: URLSearchParams): unknown {
  const { key, label } = field.control;
  const text = (form.get(key) ?? "").trim();
  switch (field.type) {
    case "yes_no":
      return text === "yes";
    case "choice":
      if (!field.values.includes(text))
        throw badRequest(`choose one of these ${field.plural}: ${field.values.join(", ")}`);
      return text;
    case "choices":
      return field.values.filter((value) => form.getAll(key).includes(value));
    case "protected_domains":
      return readOnlyThese(form, key, form.getAll(key).flatMap(splitList));
    case "duration": {
      const ms = parseDuration(text);
      if (text !== "" && ms === null) throw badRequest(`the ${label.toLowerCase()} must be ${durationForm}`);
      return ms;
    }
    default:
      return text;
  }
}

/** The controls of all settings. @param domains names of the protected domains */
export function FieldControls({
  fields,
  form,
  errors,
  domains,
}: {
  fields: readonly EntryField[];
  form: URLSearchParams;
  errors: FieldErrors;
  domains: readonly string[];
}) {
  return (
    <>
      {fields.filter(isControlled).map((field) => (
        <Control field={field} form={form} error={errors[field.control.key]} domains={domains} />
      ))}
    </>
  );
}

function Control({
  field,
  form,
  error,
  domains,
}: {
  field: Controlled;
  form: URLSearchParams;
  error: string | undefined;
  domains: readonly string[];
}) {
  const { key: name, label, hint, help: explained, placeholder } = field.control;
  const help = explained && (
    <Help about={explained.about} manual={explained.manual}>
      {explained.text}
    </Help>
  );
  const shared = { label, name, hint, help, error };
  const value = form.get(name) ?? "";
  const choicesOf = (values: readonly string[]) => values.map((one) => ({ value: one, label: inWords(one) }));
  switch (field.type) {
    case "yes_no":
      return <Checkbox label={label} name={name} checked={value === "yes"} />;
    case "choice":
      return <Select {...shared} choices={choicesOf(field.values)} value={value} />;
    case "choices":
      return <Choices {...shared} choices={choicesOf(field.values)} values={form.getAll(name)} />;
    case "protected_domains":
      return <ProtectedDomainsField name={name} domains={domains} form={form} help={help} error={error} />;
    default:
      return (
        <TextField
          {...shared}
          value={value}
          maxLength={field.type === "duration" ? 20 : 2_000}
          {...(placeholder === undefined ? {} : { placeholder })}
        />
      );
  }
}

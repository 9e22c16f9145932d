import type { EntryField, EntryValues } from "../../../access/entries/presentation.ts";
import { durationForm, formatDuration, parseDuration } from "../../../platform/lib/durations.ts";
import { badRequest } from "../../../platform/lib/errors.ts";
import { createFieldReader, splitList, type FieldErrors } from "../kit/fields.ts";
import { Checkbox, Choices, choicesOf, Select, TextField } from "../kit/form.tsx";
import { readOnlyThese } from "../kit/only-these.tsx";
import { inWords } from "../kit/inline.tsx";
import { ProtectedDomainsField } from "../threat-kit/event-filter.tsx";

/** The settings of entries as controls of a form. */

type Controlled = EntryField & Required<Pick<EntryField, "control">>;

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
  if (typeof type === "object" && "duration" in type) return [formatDuration(Number(value))];
  return [value === true ? "yes" : value === false ? "" : String(value)];
}

/** Reads the settings from a form; `errors` is empty if all of them can be read. The service validates them. */
export function readFormFields(
  fields: readonly EntryField[],
  form: URLSearchParams,
): { settings: EntryValues; errors: FieldErrors } {
  const { errors, field: read } = createFieldReader();
  const settings: EntryValues = {};
  for (const field of fields.filter(isControlled))
    settings[field.name] = read(field.control.key, () => valueIn(field, form), undefined);
  return { settings, errors };
}

/** @throws PublicError `bad_request` */
function valueIn({ type, control: { key, label } }: Controlled, form: URLSearchParams): unknown {
  const text = (form.get(key) ?? "").trim();
  if (type === "yes_no") return text === "yes";
  if (type === "protected_domains") return readOnlyThese(form, key, form.getAll(key).flatMap(splitList));
  if (typeof type === "string") return text;
  if ("choices" in type) return type.choices.filter((value) => form.getAll(key).includes(value));
  if ("choice" in type && !type.choice.includes(text))
    throw badRequest(`choose one of these ${type.plural ?? "values"}: ${type.choice.join(", ")}`);
  if (!("duration" in type)) return text;
  const ms = parseDuration(text);
  if (text !== "" && ms === null) throw badRequest(`the ${label.toLowerCase()} must be ${durationForm}`);
  return ms;
}

/** The controls of all settings. */
export function FieldControls(props: {
  fields: readonly EntryField[];
  /** Names of the protected domains. */
  domains: readonly string[];
}) {
  const { fields, domains } = props;
  return (
    <>
      {fields.filter(isControlled).map((field) => (
        <Control field={field} domains={domains} />
      ))}
    </>
  );
}

function Control({ field, domains }: { field: Controlled; domains: readonly string[] }) {
  const { type, control } = field;
  const { key: name, label, hint, help, ...rest } = control;
  const shared = { label, name, hint, help };
  if (type === "yes_no") return <Checkbox label={label} name={name} />;
  if (type === "protected_domains")
    return <ProtectedDomainsField name={name} domains={domains} help={help} />;
  if (typeof type === "object" && "choices" in type)
    return <Choices {...shared} choices={choicesOf(type.choices, inWords)} />;
  if (typeof type === "object" && "choice" in type)
    return <Select {...shared} choices={choicesOf(type.choice, inWords)} />;
  return <TextField {...shared} {...rest} />;
}

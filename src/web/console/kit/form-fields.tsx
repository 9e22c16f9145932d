import type { ComponentChildren, FunctionComponent } from "preact";
import { Checkbox, Choices, Select, TextArea, TextField, useForm, type Choice } from "./form.tsx";
import { OnlyThese } from "./only-these.tsx";

/**
 * A part of a form as data, as it is in a JSON file: a field with the properties of its control, a heading, a part that the
 * page renders, or fields that are folded while they are empty and valid.
 */
export interface FormPart {
  /** Name of a field. */
  name?: string | undefined;
  label?: string | undefined;
  /** Default: `text`. */
  control?: string | undefined;
  heading?: string | undefined;
  /** Name of a part that the page renders. */
  part?: string | undefined;
  /** Summary of folded fields. */
  more?: string | undefined;
  fields?: readonly FormPart[] | undefined;
}

const controls: Record<string, FunctionComponent<never>> = {
  checkbox: Checkbox,
  checkboxes: Choices,
  lines: TextArea,
  only_these: OnlyThese,
  radio: (props: Parameters<typeof Choices>[0]) => <Choices {...props} single />,
  select: Select,
  text: TextField,
};

export const controlNames = Object.keys(controls);

interface FormFieldsProps {
  fields: readonly FormPart[];
  /** Properties that texts cannot express, by the name of the field. */
  set?: Record<string, { choices?: readonly Choice[]; [property: string]: unknown }>;
  parts?: Record<string, ComponentChildren>;
}

/** The parts of a form. The compiler does not know the texts of a JSON file. A test checks them. */
export function FormFields({ fields, ...further }: FormFieldsProps) {
  const { set = {}, parts = {} } = further;
  return (
    <>
      {fields.map(({ heading, part, more, fields: folded = [], ...field }) => {
        if (heading !== undefined) return <h2>{heading}</h2>;
        if (part !== undefined) return parts[part];
        if (more !== undefined) return <More summary={more} fields={folded} {...further} />;
        const Control = controls[field.control ?? "text"] as FunctionComponent<object>;
        return <Control {...field} {...set[field.name!]} />;
      })}
    </>
  );
}

/** Returns the label of a field. */
export function labelIn(fields: readonly FormPart[], name: string): string | undefined {
  return fields.flatMap((one) => [one, ...(one.fields ?? [])]).find((one) => one.name === name)?.label;
}

function More({ summary, ...content }: FormFieldsProps & { summary: string }) {
  const { form, errors } = useForm();
  const isOpen = content.fields.some(
    ({ name = "" }) => (form.get(name) ?? "") !== "" || errors[name] !== undefined,
  );
  return (
    <details class="more" open={isOpen}>
      <summary>{summary}</summary>
      <div>
        <FormFields {...content} />
      </div>
    </details>
  );
}

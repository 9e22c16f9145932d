import type { ComponentChildren } from "preact";
import { FieldError } from "../../../platform/lib/errors.ts";
import { Icon, type IconName } from "./icons.tsx";
import { usePage } from "./page-context.ts";

/** A POST form with the CSRF token. */
export function Form(props: { action: string; children: ComponentChildren; class?: string; id?: string }) {
  const { action, children, class: className, id } = props;
  const { csrfToken } = usePage();
  return (
    <form method="post" action={action} class={className} id={id}>
      <input type="hidden" name="form_token" value={csrfToken} />
      {children}
    </form>
  );
}

/** `sure`: the last step of an action that cannot be undone. */
type ButtonVariant = "primary" | "plain" | "danger" | "sure";

export interface ButtonLook {
  variant?: ButtonVariant | undefined;
  small?: boolean | undefined;
  icon?: IconName | undefined;
  /** Keyboard shortcut, which the button shows. */
  dataKey?: string | undefined;
}

const buttonClasses: Record<ButtonVariant, string> = {
  primary: "btn primary",
  plain: "btn plain",
  danger: "btn danger",
  sure: "btn danger sure",
};

export function buttonClass({ variant, small }: Pick<ButtonLook, "variant" | "small">): string {
  const name = variant === undefined ? "btn" : buttonClasses[variant];
  return small === true ? `${name} small` : name;
}

export function ButtonContent({ icon, label, dataKey }: ButtonLook & { label: string }) {
  return (
    <>
      {icon === undefined ? null : <Icon name={icon} />}
      {label}
      {dataKey === undefined ? null : <kbd aria-hidden="true">{dataKey.toUpperCase()}</kbd>}
    </>
  );
}

/** A button that posts without further input. Not rendered when the visitor's role does not allow it. */
export function PostButton(
  props: { action: string; label: string; fields?: Record<string, string | readonly string[]> } & ButtonLook,
) {
  const { action, label, fields = {}, ...look } = props;
  if (!usePage().mayOpen("POST", action)) return null;
  return (
    <Form action={action} class="inline">
      <HiddenFields fields={fields} />
      <Button label={label} {...look} />
    </Form>
  );
}

export function HiddenFields({ fields }: { fields: Record<string, string | readonly string[]> }) {
  return (
    <>
      {Object.entries(fields).flatMap(([name, value]) =>
        [value].flat().map((one) => <input type="hidden" name={name} value={one} />),
      )}
    </>
  );
}

export function Button(props: { label: string; name?: string; value?: string } & ButtonLook) {
  const { label, name, value, ...look } = props;
  return (
    <button
      type="submit"
      name={name}
      value={value}
      class={buttonClass(look)}
      data-key={look.dataKey}
      aria-keyshortcuts={look.dataKey}
    >
      <ButtonContent {...look} label={label} />
    </button>
  );
}

export function TextField({
  type = "text",
  value,
  required,
  maxLength,
  placeholder,
  autocomplete = "off",
  autofocus,
  suggestions = [],
  ...field
}: FieldProps & {
  type?: "text" | "url" | "search" | "password" | "number" | "date" | "time" | "datetime-local";
  value?: string | undefined;
  required?: boolean;
  maxLength?: number;
  placeholder?: string;
  autocomplete?: string;
  autofocus?: boolean;
  /** Values to choose from while typing. */
  suggestions?: readonly string[];
}) {
  return (
    <FieldLayout field={field}>
      <input
        // JSX has a narrower type for each kind of input; the attributes used here are valid for all of them.
        type={type as "text"}
        value={value}
        required={required}
        maxLength={maxLength}
        placeholder={placeholder}
        autocomplete={autocomplete}
        autofocus={autofocus}
        spellcheck={false}
        autocapitalize="none"
        class="input"
        list={suggestions.length === 0 ? undefined : `${field.name}-suggestions`}
        {...fieldAttributes(field)}
      />
      {suggestions.length === 0 ? null : (
        <datalist id={`${field.name}-suggestions`}>
          {suggestions.map((one) => (
            <option value={one} />
          ))}
        </datalist>
      )}
    </FieldLayout>
  );
}

export function TextArea(props: FieldProps & { value?: string; rows?: number; maxLength?: number }) {
  const { value, rows = 4, maxLength, ...field } = props;
  return (
    <FieldLayout field={field}>
      <textarea class="input" rows={rows} maxLength={maxLength} {...fieldAttributes(field)}>
        {value}
      </textarea>
    </FieldLayout>
  );
}

export interface Choice {
  value: string;
  label: string;
  hint?: string;
}

/** Returns choices of these values, each shown as it is or as `labelOf` says. */
export function choicesOf<Value extends string>(
  values: readonly Value[],
  labelOf: (value: Value) => string = String,
): Choice[] {
  return values.map((value) => ({ value, label: labelOf(value) }));
}

export function Select(
  props: FieldProps & {
    choices: readonly Choice[];
    value?: string | null | undefined;
    /** Label of the choice of no value, which comes first. */
    any?: string;
  },
) {
  const { choices, value, any, ...field } = props;
  return (
    <FieldLayout field={field}>
      <select class="input" {...fieldAttributes(field)}>
        {any === undefined ? null : (
          <option value="" selected={(value ?? "") === ""}>
            {any}
          </option>
        )}
        {choices.map((choice) => (
          <option value={choice.value} selected={choice.value === value}>
            {choice.label}
          </option>
        ))}
      </select>
    </FieldLayout>
  );
}

/** A group of checkboxes, or of radio buttons with `single`. */
export function Choices(
  props: FieldProps & { choices: readonly Choice[]; values: readonly string[]; single?: boolean },
) {
  const { choices, values, single = false, label, name, hint, help, error } = props;
  return (
    <fieldset class="field" aria-describedby={error === undefined ? undefined : `${name}-error`}>
      <legend>{label}</legend>
      {help}
      <CheckboxList choices={choices} values={values} single={single} name={name} />
      {error === undefined ? null : <FieldErrorText name={name} error={error} />}
      {hint === undefined ? null : <p class="hint">{hint}</p>}
    </fieldset>
  );
}

/** Checkboxes, or radio buttons with `single`, for a group that has a label already. */
function CheckboxList(props: {
  choices: readonly Choice[];
  values: readonly string[];
  single?: boolean;
  name: string;
}) {
  const { choices, values, single = false, name } = props;
  return (
    <>
      {choices.map((choice) => (
        <label class="check">
          <input
            type={single ? "radio" : "checkbox"}
            name={name}
            value={choice.value}
            checked={values.includes(choice.value)}
          />
          <span>
            {choice.label}
            {choice.hint === undefined ? null : <span class="hint"> {choice.hint}</span>}
          </span>
        </label>
      ))}
    </>
  );
}

export function Checkbox({ label, name, checked }: { label: string; name: string; checked: boolean }) {
  return (
    <label class="check">
      <input type="checkbox" name={name} value="yes" checked={checked} />
      <span>{label}</span>
    </label>
  );
}

interface FieldProps {
  label: string;
  name: string;
  hint?: ComponentChildren;
  /** Explanation of the setting beside its label: `<Help>`. */
  help?: ComponentChildren;
  /** Describes what is wrong with the value. */
  error?: string | undefined;
}

/** Returns the attributes that tie a field to its hint and its error for assistive technology. */
function fieldAttributes({ name, hint, error }: FieldProps) {
  const ids = [
    ...(error === undefined ? [] : [`${name}-error`]),
    ...(hint === undefined ? [] : [`${name}-hint`]),
  ];
  return {
    id: name,
    name,
    "aria-describedby": ids.length === 0 ? undefined : ids.join(" "),
    "aria-invalid": error === undefined ? undefined : ("true" as const),
  };
}

function FieldLayout({ field, children }: { field: FieldProps; children: ComponentChildren }) {
  const { label, name, hint, help, error } = field;
  return (
    <div class="field">
      {help === undefined ? (
        <label for={name}>{label}</label>
      ) : (
        <div class="labeled">
          <label for={name}>{label}</label>
          {help}
        </div>
      )}
      {children}
      {error === undefined ? null : <FieldErrorText name={name} error={error} />}
      {hint === undefined ? null : (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

function FieldErrorText({ name, error }: { name: string; error: string }) {
  return (
    <div class="error">
      <Icon name="fail" />
      <p id={`${name}-error`}>{error}</p>
    </div>
  );
}

/**
 * A choice between all and some: two radio buttons, and the fields for some of them. A selection that is empty never
 * means all, so that unchecking the last box cannot select more.
 */
export function OnlyThese({
  label,
  name,
  all,
  only = "Only these",
  choices,
  form,
  values = form.getAll(name),
  help,
  error,
  children,
}: {
  label: string;
  /** Name of the field with the values. The radio buttons are called `<name>_scope`. */
  name: string;
  /** Label of the choice of all. */
  all: string;
  /** Label of the choice of some. */
  only?: string;
  /** Values to choose from; `children` if they are typed in. */
  choices?: readonly Choice[];
  form: URLSearchParams;
  /** Default: those in the form. */
  values?: readonly string[];
  help?: ComponentChildren;
  error?: string | undefined;
  children?: ComponentChildren;
}) {
  const scope = form.get(`${name}_scope`);
  const isAll = scope === null ? values.length === 0 : scope === "all";
  return (
    <fieldset class="field either" aria-describedby={error === undefined ? undefined : `${name}-error`}>
      <legend>{label}</legend>
      {help}
      <Scope name={name} value="all" label={all} checked={isAll} />
      <Scope name={name} value="only" label={only} checked={!isAll} />
      <div class="only">
        {choices === undefined ? children : <CheckboxList name={name} choices={choices} values={values} />}
      </div>
      {error === undefined ? null : <FieldErrorText name={name} error={error} />}
    </fieldset>
  );
}

function Scope(props: { name: string; value: "all" | "only"; label: string; checked: boolean }) {
  const { name, value, label, checked } = props;
  return (
    <label class="check">
      <input type="radio" name={`${name}_scope`} value={value} checked={checked} />
      <span>{label}</span>
    </label>
  );
}

/**
 * Returns the values of such a choice, empty for all.
 * @throws FieldError if only some are to be chosen, and none is
 */
export function readOnlyThese(form: URLSearchParams, name: string, values = form.getAll(name)): string[] {
  const scope = form.get(`${name}_scope`);
  if (scope === "all") return [];
  if (scope === "only" && values.length === 0)
    throw new FieldError(name, "choose at least one, or choose all");
  return values;
}

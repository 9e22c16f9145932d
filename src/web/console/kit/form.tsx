import { createContext, type ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import { Help, type HelpTopic } from "./disclosure.tsx";
import type { FieldErrors } from "./fields.ts";
import { Icon, type IconName } from "./inline.tsx";
import { usePage } from "./page-context.ts";

/** Input of a form and what is wrong with it. Each field shows its own, by its name. */
interface FormState {
  /** Values to begin with, or those that were submitted. Absent: the fields begin as they are written. */
  form?: URLSearchParams | undefined;
  errors?: FieldErrors | undefined;
}

const FormStateOf = createContext<FormState>({});

/** Returns the input of the form around a component, and what is wrong with it. */
export function useForm() {
  const { form = new URLSearchParams(), errors = {} } = useContext(FormStateOf);
  return { form, errors };
}

/** A POST form with the CSRF token. */
export function Form(
  props: FormState & {
    action: string;
    children: ComponentChildren;
    class?: string;
    id?: string;
    /** Whether it sends files. */
    upload?: boolean;
  },
) {
  const { action, children, class: className, id, upload = false, ...state } = props;
  const { csrfToken } = usePage();
  return (
    <form
      method="post"
      action={action}
      encType={upload ? "multipart/form-data" : undefined}
      class={className}
      id={id}
    >
      <input type="hidden" name="form_token" value={csrfToken} />
      <FormStateOf.Provider value={state}>{children}</FormStateOf.Provider>
    </form>
  );
}

/** A form that filters the list of a page. Its fields show the query of the page. */
export function FilterForm({ action, children }: { action: string; children: ComponentChildren }) {
  const { query } = usePage();
  return (
    <form method="get" action={action} class="line filters" role="search">
      <FormStateOf.Provider value={{ form: query }}>{children}</FormStateOf.Provider>
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

export function TextField(
  props: FieldProps & {
    type?: "text" | "url" | "search" | "password" | "number" | "date" | "time" | "datetime-local";
    value?: string | undefined;
    required?: boolean;
    maxLength?: number | undefined;
    placeholder?: string | undefined;
    autocomplete?: string;
    autofocus?: boolean;
    /** Values to choose from while typing. */
    suggestions?: readonly string[];
  },
) {
  const { type = "text", autocomplete = "off", suggestions = [], ...field } = props;
  const { required, maxLength, placeholder, autofocus } = field;
  const { value, error } = useField(field);
  return (
    <FieldLayout field={field} error={error}>
      <input
        // JSX has a narrower type for each kind of input; the attributes used here are valid for all of them.
        type={type as "text"}
        value={type === "password" ? undefined : value}
        required={required}
        maxLength={maxLength}
        placeholder={placeholder}
        autocomplete={autocomplete}
        autofocus={autofocus}
        spellcheck={false}
        autocapitalize="none"
        class="input"
        list={suggestions.length === 0 ? undefined : `${field.name}-suggestions`}
        {...fieldAttributes(field, error)}
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

export function TextArea(
  props: FieldProps & { value?: string; rows?: number; maxLength?: number | undefined },
) {
  const { rows = 4, maxLength, ...field } = props;
  const { value, error } = useField(field);
  return (
    <FieldLayout field={field} error={error}>
      <textarea class="input" rows={rows} maxLength={maxLength} {...fieldAttributes(field, error)}>
        {value}
      </textarea>
    </FieldLayout>
  );
}

export interface Choice {
  value: string;
  label: string;
  hint?: string | undefined;
}

/** Returns choices of these values, each shown as it is or as `labelOf` says, with a hint if there are hints. */
export function choicesOf<Value extends string>(
  values: readonly Value[],
  labelOf: (value: Value) => string = String,
  hints: Partial<Record<Value, string>> = {},
): Choice[] {
  return values.map((value) => ({ value, label: labelOf(value), hint: hints[value] }));
}

export function Select(
  props: FieldProps & {
    choices: readonly Choice[];
    value?: string | null | undefined;
    /** Label of the choice of no value, which comes first. */
    any?: string;
  },
) {
  const { choices, any, ...field } = props;
  const { value, error } = useField(field);
  return (
    <FieldLayout field={field} error={error}>
      <select class="input" {...fieldAttributes(field, error)}>
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
  props: FieldProps & { choices: readonly Choice[]; values?: readonly string[]; single?: boolean },
) {
  const { choices, single = false, name } = props;
  const { values, error } = useField(props);
  return (
    <FieldGroup {...props} error={error}>
      <CheckboxList choices={choices} values={values} single={single} name={name} />
    </FieldGroup>
  );
}

/** A field of several controls. */
export function FieldGroup(props: FieldProps & { class?: "either"; children: ComponentChildren }) {
  const { label, name, hint, help, error = null, class: className, children } = props;
  return (
    <fieldset
      class={className === undefined ? "field" : `field ${className}`}
      aria-describedby={error === null ? undefined : `${name}-error`}
    >
      <legend>{label}</legend>
      {help === undefined ? null : <Help topic={help} />}
      {children}
      {error === null ? null : <FieldErrorText name={name} error={error} />}
      {hint === undefined ? null : <p class="hint">{hint}</p>}
    </fieldset>
  );
}

/** Checkboxes, or radio buttons with `single`, for a group that has a label already. */
export function CheckboxList(props: {
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

export function Checkbox(props: { label: string; name: string; checked?: boolean }) {
  const { label, name } = props;
  const { form } = useContext(FormStateOf);
  const { checked = form?.get(name) === "yes" } = props;
  return (
    <label class="check">
      <input type="checkbox" name={name} value="yes" checked={checked} />
      <span>{label}</span>
    </label>
  );
}

export interface FieldProps {
  label: string;
  name: string;
  hint?: ComponentChildren;
  /** Explanation of the setting beside its label. */
  help?: HelpTopic | undefined;
  /** Value while the form has none for this field. Default: empty. */
  initial?: string | undefined;
  /** Describes what is wrong with the value. Default: the error of the form for this field; null: none. */
  error?: string | null | undefined;
}

/** Returns what a field shows: what its properties say, or else the value and the error of its form. */
export function useField(
  field: Pick<FieldProps, "name" | "initial" | "error"> & {
    value?: string | null | undefined;
    values?: readonly string[] | undefined;
  },
) {
  const { form, errors = {} } = useContext(FormStateOf);
  const { name, initial } = field;
  const error = field.error === undefined ? errors[name] : (field.error ?? undefined);
  const value = field.value ?? form?.get(name) ?? initial ?? (form === undefined ? undefined : "");
  const given = form?.getAll(name) ?? [];
  const isEmpty = given.every((one) => one === "");
  const values = field.values ?? (isEmpty && initial !== undefined ? [initial] : given);
  return { value, values, error };
}

/** Returns the attributes that tie a field to its hint and its error for assistive technology. */
function fieldAttributes({ name, hint }: FieldProps, error: string | undefined) {
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

function FieldLayout(props: { field: FieldProps; error: string | undefined; children: ComponentChildren }) {
  const { field, error, children } = props;
  const { label, name, hint, help } = field;
  return (
    <div class="field">
      {help === undefined ? (
        <label for={name}>{label}</label>
      ) : (
        <div class="labeled">
          <label for={name}>{label}</label>
          <Help topic={help} />
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

import type { ComponentChildren } from "preact";
import { FieldError } from "../../../platform/lib/errors.ts";
import { CheckboxList, FieldGroup, useField, type Choice, type FieldProps } from "./form.tsx";

/**
 * A choice between all and some: two radio buttons, and the fields for some of them. A selection that is empty never
 * means all, so that unchecking the last box cannot select more.
 */
export function OnlyThese(
  props: Omit<FieldProps, "hint" | "initial"> & {
    /** Label of the choice of all. */
    all: string;
    /** Label of the choice of some. */
    only?: string;
    /** Values to choose from; `children` if they are typed in. */
    choices?: readonly Choice[] | undefined;
    /** Default: those in the form. */
    values?: readonly string[];
    children?: ComponentChildren;
  },
) {
  // The radio buttons are called `<name>_scope`.
  const { name, all, only = "Only these", choices, children } = props;
  const { values, error } = useField(props);
  const scope = useField({ name: `${name}_scope` }).values[0];
  const isAll = scope === undefined ? values.length === 0 : scope === "all";
  return (
    <FieldGroup {...props} error={error} class="either">
      <Scope name={name} value="all" label={all} checked={isAll} />
      <Scope name={name} value="only" label={only} checked={!isAll} />
      <div class="only">
        {choices === undefined ? children : <CheckboxList name={name} choices={choices} values={values} />}
      </div>
    </FieldGroup>
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

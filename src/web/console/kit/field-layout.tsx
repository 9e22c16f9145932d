import type { ComponentChildren } from "preact";
import { Icon } from "./icons.tsx";

export interface FieldProps {
  label: string;
  name: string;
  hint?: ComponentChildren;
  /** Explanation of the setting beside its label: `<Help>`. */
  help?: ComponentChildren;
  /** Describes what is wrong with the value. */
  error?: string | undefined;
}

/** Returns the attributes that tie a field to its hint and its error for assistive technology. */
export function fieldAttributes({ name, hint, error }: FieldProps) {
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

export function FieldLayout({ field, children }: { field: FieldProps; children: ComponentChildren }) {
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

export function FieldErrorText({ name, error }: { name: string; error: string }) {
  return (
    <div class="error">
      <Icon name="fail" />
      <p id={`${name}-error`}>{error}</p>
    </div>
  );
}

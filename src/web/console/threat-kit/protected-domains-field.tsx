import type { ComponentChildren } from "preact";
import { visible } from "../../../platform/lib/safe-text.ts";
import { splitList } from "../kit/fields.ts";
import { OnlyThese } from "../kit/only-these.tsx";

/** Maximum number of protected domains offered as checkboxes; for more, names are typed in. */
const checkboxesMax = 30;

/** Choice of all protected domains, or of some: checkboxes if they are few, and a field to type them in otherwise. */
export function ProtectedDomainsField(props: {
  name: string;
  /** Names that can be chosen. Other names in the form are kept. */
  domains: readonly string[];
  form: URLSearchParams;
  help?: ComponentChildren;
  error?: string | undefined;
}) {
  const { name, domains, form, help, error } = props;
  const values = form.getAll(name).flatMap(splitList);
  const offered = [...new Set([...domains, ...values])];
  const isTyped = error !== undefined || offered.length === 0 || offered.length > checkboxesMax;
  return (
    <OnlyThese
      label="Protected domains"
      name={name}
      all="All, including those that are added later"
      form={form}
      values={values}
      help={help}
      error={error}
      {...(isTyped ? {} : { choices: offered.map((domain) => ({ value: domain, label: visible(domain) })) })}
    >
      <textarea
        class="input"
        name={name}
        rows={4}
        aria-label="Protected domains, one per line"
        placeholder="One per line"
        aria-invalid={error === undefined ? undefined : "true"}
      >
        {values.join("\n")}
      </textarea>
    </OnlyThese>
  );
}

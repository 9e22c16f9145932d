import { visible } from "../../lib/safe-text.ts";
import { Choices, TextArea } from "../kit/form.tsx";

/** Maximum number of protected domains offered as checkboxes; for more, names are typed in. */
const checkboxesMax = 30;

/** Choice of protected domains: checkboxes if they are few, and a field to type them in otherwise. */
export function ProtectedDomainsField({
  label,
  name,
  domains,
  values,
  hint,
  error,
}: {
  label: string;
  name: string;
  /** Names that can be chosen. Other names among `values` are kept. */
  domains: readonly string[];
  values: readonly string[];
  hint: string;
  error?: string | undefined;
}) {
  const offered = [...new Set([...domains, ...values])];
  const field = { label, name, error };
  if (error === undefined && offered.length > 0 && offered.length <= checkboxesMax)
    return (
      <Choices
        {...field}
        choices={offered.map((domain) => ({ value: domain, label: visible(domain) }))}
        values={values}
        hint={hint}
      />
    );
  return <TextArea {...field} value={values.join("\n")} hint={`One per line. ${hint}`} />;
}

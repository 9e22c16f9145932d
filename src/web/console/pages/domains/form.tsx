import {
  describeWarning,
  wordsFoundAnywhere,
  wordWarnings,
} from "../../../../engines/detection/brand/word-warnings.ts";
import { DomainFieldError, type DomainContent } from "../../../../threats/domains/declaration.ts";
import type { ProtectedDomain } from "../../../../threats/domains/domains.ts";
import type { Suggestions } from "../../../../threats/domains/suggestions.ts";
import { PublicError } from "../../../../platform/lib/errors.ts";
import { sentence } from "../../../../platform/lib/wording.ts";
import { splitList } from "../../kit/fields.ts";
import { TextArea, TextField } from "../../kit/form.tsx";
import { Name } from "../../kit/name.tsx";

/** Fields of the form as they were typed. */
export interface DomainFields {
  domain: string;
  keywords: string;
  allow: string;
}

export interface FieldError {
  /** Undefined: the error concerns the whole form. */
  field: string | undefined;
  message: string;
}

export function fieldsOf({ domain, keywords, allow }: ProtectedDomain): DomainFields {
  return { domain, keywords: keywords.join(" "), allow: allow.join("\n") };
}

/** Reads the fields; suggestions that were ticked are added to what was typed. */
export function readFields(form: URLSearchParams): DomainFields {
  const keywords = [form.get("keywords") ?? "", ...form.getAll("keyword")];
  const allow = [form.get("allow") ?? "", ...form.getAll("own")];
  return {
    domain: (form.get("domain") ?? "").trim(),
    keywords: keywords.filter((text) => text.trim() !== "").join(" "),
    allow: allow.filter((text) => text.trim() !== "").join("\n"),
  };
}

/** Returns the fields as a declaration. */
export function declarationOf({ domain, keywords, allow }: DomainFields) {
  return { domain, keywords: splitList(keywords), allow: splitList(allow) };
}

/** Converts an error in the input to a field error; throws any other error again. */
export function fieldErrorOf(error: unknown): FieldError {
  if (!(error instanceof PublicError)) throw error;
  const field = error instanceof DomainFieldError ? error.field : undefined;
  return { field, message: sentence(error.message) };
}

/** Keywords and allow list: the fields that can be changed after a domain was added. */
export function ContentFields(props: {
  fields: DomainFields;
  error: FieldError | undefined;
  suggestions?: Suggestions | undefined;
}) {
  const { fields, error, suggestions = { keywords: [], allow: [] } } = props;
  const errorAt = (field: string) => (error?.field === field ? error.message : undefined);
  return (
    <>
      <TextField
        label="Brand keywords"
        name="keywords"
        value={fields.keywords}
        maxLength={7_000}
        error={errorAt("keywords")}
        hint={
          <>
            Other words that identify this brand, such as product names. Separate them with spaces.{" "}
            <a href="/docs/protect-domains#brand-keywords">Manual</a>
          </>
        }
      />
      <Suggested legend="Suggested keywords" name="keyword" values={suggestions.keywords} />
      <TextArea
        label="Allowed names"
        name="allow"
        value={fields.allow}
        rows={3}
        error={errorAt("allow")}
        hint={
          <>
            Names that are never threats, including their subdomains. One per line.{" "}
            <a href="/docs/protect-domains#allow-your-own-names">Manual</a>
          </>
        }
      />
      <Suggested legend="Tick the names that you own" name="own" values={suggestions.allow} />
    </>
  );
}

function Suggested({ legend, name, values }: { legend: string; name: string; values: readonly string[] }) {
  if (values.length === 0) return null;
  return (
    <fieldset class="field">
      <legend>{legend}</legend>
      <div class="line">
        {values.map((value) => (
          <label class="chip">
            <span class="check">
              <input type="checkbox" name={name} value={value} />
              <Name name={value} />
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** Names the brand keywords, and says where in a name each of them counts. */
export function BrandKeywords({ domain }: { domain: DomainContent }) {
  const anywhere = wordsFoundAnywhere(domain);
  return (
    <ul class="s quiet">
      {anywhere.length === 0 ? null : (
        <li>
          {anywhere.map((word, index) => (
            <>
              {index === 0 ? null : ", "}
              <strong>{word}</strong>
            </>
          ))}
          : long and rare enough to be matched anywhere in a name.
        </li>
      )}
      {wordWarnings(domain).map((warning) => (
        <li>
          <strong>{warning.word}</strong>: {describeWarning(warning)}.
        </li>
      ))}
    </ul>
  );
}

import {
  describeWarning,
  wordsFoundAnywhere,
  wordWarnings,
} from "../../../../engines/detection/brand/word-warnings.ts";
import type { DomainContent } from "../../../../threats/domains/declaration.ts";
import type { ProtectedDomain } from "../../../../threats/domains/domains.ts";
import type { Suggestions } from "../../../../threats/domains/suggestions.ts";
import type { Crumb } from "../../kit/components.tsx";
import { splitList } from "../../kit/fields.ts";
import { TextArea, TextField } from "../../kit/form.tsx";
import { Name } from "../../kit/inline.tsx";
import { domainPath, domainsPath } from "../../kit/paths.ts";

/** Returns the pages above a page about a domain. */
export function crumbsOf(domain: string): Crumb[] {
  return [
    { label: "Protected domains", path: domainsPath },
    { label: domain, path: domainPath(domain) },
  ];
}

/** Returns the form for a domain that exists. */
export function formOf({ domain, keywords, allow }: ProtectedDomain): URLSearchParams {
  return new URLSearchParams({ domain, keywords: keywords.join(" "), allow: allow.join("\n") });
}

/** Returns the form as it is shown again: suggestions that were ticked are added to what was typed. */
export function withTicked(form: URLSearchParams): URLSearchParams {
  const join = (name: string, ticked: string, separator: string) =>
    [...form.getAll(name), ...form.getAll(ticked)].filter((text) => text.trim() !== "").join(separator);
  return new URLSearchParams({
    domain: (form.get("domain") ?? "").trim(),
    keywords: join("keywords", "keyword", " "),
    allow: join("allow", "own", "\n"),
  });
}

/** Returns the entered domain as a declaration. */
export function declarationOf(form: URLSearchParams) {
  const words = (name: string) => splitList(form.get(name) ?? "");
  return { domain: form.get("domain") ?? "", keywords: words("keywords"), allow: words("allow") };
}

/** Keywords and allow list: the fields that can be changed after a domain was added. */
export function ContentFields({
  suggestions = { keywords: [], allow: [] },
}: {
  suggestions?: Suggestions | undefined;
}) {
  return (
    <>
      <TextField
        label="Brand keywords"
        name="keywords"
        maxLength={7_000}
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
        rows={3}
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

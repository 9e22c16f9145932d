import { describeWarning, wordsFoundAnywhere, wordWarnings } from "../../../detection/brand/word-warnings.ts";
import type { Permutation } from "../../../detection/generate/permutations.ts";
import type { DomainAssessment } from "../../../domains/assess.ts";
import { DomainFieldError, type DomainContent } from "../../../domains/declaration.ts";
import { PublicError } from "../../../lib/errors.ts";
import { sentence } from "../../../lib/wording.ts";
import { threatTypes } from "../../../vocabulary/threats.ts";
import { compareNames, ComparedName } from "../../threat-kit/compared-name.tsx";
import { PageHead, FormError, Section } from "../../kit/components.tsx";
import { splitList } from "../../kit/fields.ts";
import { Button, Form, TextArea, TextField } from "../../kit/form.tsx";
import { page, redirect, type PageResult } from "../../kit/page-result.ts";
import { domainPath, domainsPath, newDomainPath } from "../../kit/paths.ts";
import { Table, type Column } from "../../kit/table.tsx";
import { TypeLegend, TypeName } from "../../threat-kit/threat-type.tsx";
import type { Context } from "../../shell/router.ts";

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

export function readFields(form: URLSearchParams): DomainFields {
  return {
    domain: (form.get("domain") ?? "").trim(),
    keywords: form.get("keywords") ?? "",
    allow: form.get("allow") ?? "",
  };
}

/** Converts an error in the input to a field error; throws any other error again. */
export function fieldErrorOf(error: unknown): FieldError {
  if (!(error instanceof PublicError)) throw error;
  const field = error instanceof DomainFieldError ? error.field : undefined;
  return { field, message: sentence(error.message) };
}

/** Keywords and allow list: the fields that can be changed after a domain was added. */
export function ContentFields({ fields, error }: { fields: DomainFields; error: FieldError | undefined }) {
  const errorAt = (field: string) => (error?.field === field ? error.message : undefined);
  return (
    <>
      <TextField
        label="Keywords"
        name="keywords"
        value={fields.keywords}
        maxLength={7_000}
        error={errorAt("keywords")}
        hint="Other words that identify this brand, such as product names. Separate them with spaces."
      />
      <TextArea
        label="Allow list"
        name="allow"
        value={fields.allow}
        rows={3}
        error={errorAt("allow")}
        hint="Names that are never threats, including their subdomains. One per line."
      />
    </>
  );
}

function NewDomainPage({
  fields,
  error,
  assessment,
}: {
  fields: DomainFields;
  error?: FieldError | undefined;
  assessment?: DomainAssessment | undefined;
}) {
  return (
    <>
      <PageHead
        title="Protect a domain"
        back={{ label: "Protected domains", path: domainsPath }}
        lead="Preview its brand keywords and some of its look-alikes first, or protect it right away."
      />
      <FormError message={error?.field === undefined ? error?.message : undefined} />
      <Form action={newDomainPath} class="narrow">
        <TextField
          label="Domain"
          name="domain"
          value={fields.domain}
          required
          maxLength={300}
          placeholder="example.com"
          autofocus={assessment === undefined}
          error={error?.field === "domain" ? error.message : undefined}
          hint="The registered name, in any script, without www."
        />
        <ContentFields fields={fields} error={error} />
        <p class="line">
          <Button label="Preview" name="step" value="look" />
          <Button label="Protect domain" name="step" value="add" />
        </p>
      </Form>
      {assessment === undefined ? null : (
        <>
          <Section title="Brand keywords">
            <BrandKeywords domain={assessment.content} />
          </Section>
          <Section title="Sample look-alikes">
            <LookAlikes domain={assessment.content} lookAlikes={assessment.lookAlikes} />
          </Section>
        </>
      )}
    </>
  );
}

/** Names the brand keywords, and says where in a name each of them counts. */
export function BrandKeywords({ domain }: { domain: DomainContent }) {
  const anywhere = wordsFoundAnywhere(domain);
  return (
    <ul>
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

export function LookAlikes({
  domain: { domain, keywords },
  lookAlikes,
}: {
  domain: DomainContent;
  lookAlikes: readonly Permutation[];
}) {
  const columns: Column<Permutation>[] = [
    {
      title: "Look-alike",
      layout: "wide",
      cell: ({ name }) => <ComparedName name={name} comparison={compareNames(name, domain, keywords)} />,
    },
    { title: "Type", layout: "tight", cell: ({ type }) => <TypeName type={type} /> },
    { title: "Similarity", layout: "number", cell: ({ similarity }) => similarity.toFixed(2) },
  ];
  const types = threatTypes.filter((type) => lookAlikes.some((one) => one.type === type));
  return (
    <>
      <Table
        caption="Look-alikes"
        columns={columns}
        rows={lookAlikes}
        empty="No generated variant of this name is similar enough."
      />
      {types.length === 0 ? null : <TypeLegend types={types} />}
    </>
  );
}

export function showNewDomain({ query }: Context): PageResult {
  const fields = { domain: query.get("domain") ?? "", keywords: "", allow: "" };
  return page("Protect a domain", <NewDomainPage fields={fields} />);
}

/** Previews or adds the domain, depending on the button. */
export async function protectDomain({
  services,
  form,
  by,
  write,
}: Context<"assessDomain" | "domains">): Promise<PageResult> {
  const fields = readFields(form);
  const declared = {
    domain: fields.domain,
    keywords: splitList(fields.keywords),
    allow: splitList(fields.allow),
  };
  const formAgain = (more: { error?: FieldError; assessment?: DomainAssessment }) =>
    page("Protect a domain", <NewDomainPage fields={fields} {...more} />, {
      status: more.error === undefined ? 200 : 400,
    });
  try {
    if (form.get("step") === "look") return formAgain({ assessment: await services.assessDomain(declared) });
    const { domain } = await write(() => services.domains.add(declared, { by }));
    return redirect(domainPath(domain), `${domain} is now protected.`);
  } catch (error) {
    return formAgain({ error: fieldErrorOf(error) });
  }
}

import type { DomainAssessment } from "../../../domains/assess.ts";
import { DomainFieldError } from "../../../domains/declaration.ts";
import { PublicError } from "../../../lib/errors.ts";
import { sentence } from "../../../lib/wording.ts";
import { describeRemark, type WordRemark } from "../../../detection/brand/word-warnings.ts";
import type { Permutation } from "../../../detection/generate/permutations.ts";
import { page, redirect, type PageResult } from "../../kit/page-result.ts";
import { listIn } from "../../kit/fields.ts";
import { Button, Form, TextArea, TextField } from "../../kit/form.tsx";
import { PageHead, Refusal, Section } from "../../kit/kit.tsx";
import { Name } from "../../kit/name.tsx";
import { domainPath, domainsPath, newDomainPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { Table, type Column } from "../../kit/table.tsx";
import { inWords } from "../../kit/labels.ts";

/** The fields as somebody typed them. */
export interface DomainFields {
  domain: string;
  keywords: string;
  allow: string;
}

export interface FieldFault {
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

/** What is wrong with the fields; anything else is not for the form to tell. */
export function faultOf(error: unknown): FieldFault {
  if (!(error instanceof PublicError)) throw error;
  const field = error instanceof DomainFieldError ? error.field : undefined;
  return { field, message: sentence(error.message) };
}

/** Keywords and allowed names, which every form for a domain has. */
export function ContentFields({ fields, fault }: { fields: DomainFields; fault: FieldFault | undefined }) {
  const errorAt = (field: string) => (fault?.field === field ? fault.message : undefined);
  return (
    <>
      <TextField
        label="Keywords"
        name="keywords"
        value={fields.keywords}
        maxLength={7_000}
        error={errorAt("keywords")}
        hint="Further words that count as this domain's name, such as a product's. Blanks between them."
      />
      <TextArea
        label="Your own names"
        name="allow"
        value={fields.allow}
        rows={3}
        error={errorAt("allow")}
        hint="Names that are never threats, with everything below them. One on each line."
      />
    </>
  );
}

function NewDomainPage({
  fields,
  fault,
  assessment,
}: {
  fields: DomainFields;
  fault?: FieldFault | undefined;
  assessment?: DomainAssessment | undefined;
}) {
  return (
    <>
      <PageHead
        title="Protect a domain"
        back={{ label: "Protected domains", path: domainsPath }}
        lead="Look first at its brand words and at some of its look-alikes, or protect it at once."
      />
      <Refusal message={fault?.field === undefined ? fault?.message : undefined} />
      <Form action={newDomainPath} class="narrow">
        <TextField
          label="Domain"
          name="domain"
          value={fields.domain}
          required
          maxLength={300}
          placeholder="example.com"
          autofocus={assessment === undefined}
          error={fault?.field === "domain" ? fault.message : undefined}
          hint="As you own it, in any script, without www."
        />
        <ContentFields fields={fields} fault={fault} />
        <p class="actions">
          <Button label="Look first" variant="secondary" name="step" value="look" />
          <Button label="Protect it" name="step" value="add" />
        </p>
      </Form>
      {assessment === undefined ? null : (
        <>
          <Section title="Its brand words">
            <Remarks remarks={assessment.remarks} />
          </Section>
          <Section title="Some of its look-alikes">
            <LookAlikes lookAlikes={assessment.lookAlikes} />
          </Section>
        </>
      )}
    </>
  );
}

export function Remarks({ remarks }: { remarks: readonly WordRemark[] }) {
  if (remarks.length === 0) return <p>They are long and rare enough to be looked for everywhere.</p>;
  return (
    <ul>
      {remarks.map((remark) => (
        <li>
          <strong>{remark.word}</strong>: {describeRemark(remark)}.
        </li>
      ))}
    </ul>
  );
}

const lookAlikeColumns: Column<Permutation>[] = [
  { title: "Look-alike", look: "wide", cell: ({ name }) => <Name name={name} /> },
  { title: "Type", look: "tight", cell: ({ type }) => inWords(type) },
  { title: "Similarity", look: "number", cell: ({ similarity }) => similarity.toFixed(2) },
];

export function LookAlikes({ lookAlikes }: { lookAlikes: readonly Permutation[] }) {
  return (
    <Table
      caption="Look-alikes"
      columns={lookAlikeColumns}
      rows={lookAlikes}
      empty="None: nothing that could be made of this name is close enough to it."
    />
  );
}

export function showNew({ query }: Context): PageResult {
  const fields = { domain: query.get("domain") ?? "", keywords: "", allow: "" };
  return page("Protect a domain", <NewDomainPage fields={fields} />);
}

/** Looks at it, or adds it. */
export async function addDomain({
  services,
  form,
  by,
}: Context<"assessDomain" | "domains">): Promise<PageResult> {
  const fields = readFields(form);
  const declared = {
    domain: fields.domain,
    keywords: listIn(fields.keywords),
    allow: listIn(fields.allow),
  };
  const again = (more: { fault?: FieldFault; assessment?: DomainAssessment }) =>
    page("Protect a domain", <NewDomainPage fields={fields} {...more} />, {
      status: more.fault === undefined ? 200 : 400,
    });
  try {
    if (form.get("step") === "look") return again({ assessment: await services.assessDomain(declared) });
    const { domain } = services.domains.add(declared, by);
    return redirect(domainPath(domain), `${domain} is protected from now on.`);
  } catch (error) {
    return again({ fault: faultOf(error) });
  }
}

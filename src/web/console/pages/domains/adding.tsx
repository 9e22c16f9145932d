import type { DomainAssessment } from "../../../../threats/domains/assess.ts";
import { PublicError } from "../../../../platform/lib/errors.ts";
import { sentence } from "../../../../platform/lib/wording.ts";
import { FormError, PageHead, Section } from "../../kit/components.tsx";
import { Button, Form, TextField } from "../../kit/form.tsx";
import { usePage } from "../../kit/page-context.ts";
import { page, redirect, type Flash, type PageResult } from "../../kit/page-result.ts";
import { domainPath, domainsPath, newDomainPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import {
  BrandKeywords,
  ContentFields,
  declarationOf,
  fieldErrorOf,
  readFields,
  type DomainFields,
  type FieldError,
} from "./form.tsx";
import { LookAlikes } from "./look-alikes.tsx";

type AddingServices = "assessDomain" | "domains" | "scans";

/** State of the form for a new domain. */
export interface NewDomain {
  fields: DomainFields;
  error?: FieldError | undefined;
  /** Undefined before the first preview. */
  assessment?: DomainAssessment | undefined;
}

/** Result of a submitted form: a preview or an error to show, or the domain that was added. */
type Submitted = { shown: NewDomain } | { added: string; flash: Flash };

/** Previews or adds the domain, depending on the button; then starts a scan if that was ticked. */
export async function submitNewDomain(context: Context<AddingServices>): Promise<Submitted> {
  const { services, form, by, write } = context;
  const fields = readFields(form);
  try {
    const declared = declarationOf(fields);
    if (form.get("step") === "look")
      return { shown: { fields, assessment: await services.assessDomain(declared) } };
    const { domain } = await write(() => services.domains.add(declared, { by }));
    return { added: domain, flash: await startFirstScan(context, domain) };
  } catch (error) {
    return { shown: { fields, error: fieldErrorOf(error) } };
  }
}

async function startFirstScan(
  { services, form, by, may }: Context<AddingServices>,
  domain: string,
): Promise<Flash> {
  const done: Flash = { tone: "success", text: `${domain} is now protected.` };
  if (form.get("scan") !== "yes" || !may("scan")) return done;
  try {
    await services.scans.begin({ trigger: "console", by, domains: [domain] });
    return { ...done, text: `${done.text} The first scan has started.` };
  } catch (error) {
    if (!(error instanceof PublicError)) throw error;
    return { tone: "warning", text: `${done.text} Its scan could not start: ${sentence(error.message)}` };
  }
}

/** The fields of a new domain, up to the buttons. */
export function NewDomainFields({
  given: { fields, error, assessment },
  inSetup = false,
}: {
  given: NewDomain;
  /** The setup asks for the name first, and starts the scan in a step of its own. */
  inSetup?: boolean;
}) {
  const { may } = usePage();
  return (
    <>
      <TextField
        label="Domain"
        name="domain"
        value={fields.domain}
        required
        maxLength={300}
        placeholder="example.com"
        autofocus={assessment === undefined}
        error={error?.field === "domain" ? error.message : undefined}
        hint="The registered name, in any script, without www. Its subdomains are covered."
      />
      {inSetup && assessment === undefined && error === undefined ? null : (
        <ContentFields fields={fields} error={error} suggestions={assessment?.suggestions} />
      )}
      {!inSetup && may("scan") ? (
        <label class="check">
          <input type="checkbox" name="scan" value="yes" checked />
          <span>
            Scan now for look-alikes that exist <span class="hint">(resolves generated names in DNS)</span>
          </span>
        </label>
      ) : null}
    </>
  );
}

function NewDomainPage({ given }: { given: NewDomain }) {
  const { error, assessment } = given;
  return (
    <>
      <PageHead
        title="Protect a domain"
        crumbs={[{ label: "Protected domains", path: domainsPath }]}
        lead="Preview suggestions and some of its look-alikes first, or protect it right away."
      />
      <FormError message={error?.field === undefined ? error?.message : undefined} />
      <Form action={newDomainPath} class="narrow">
        <NewDomainFields given={given} />
        <div class="line">
          <Button label="Protect domain" name="step" value="add" variant="primary" />
          <Button label="Preview" name="step" value="look" />
        </div>
      </Form>
      {assessment === undefined ? null : (
        <>
          <Section title="Where its words count">
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

export function showNewDomain({ query }: Context): PageResult {
  const fields = { domain: query.get("domain") ?? "", keywords: "", allow: "" };
  return page("Protect a domain", <NewDomainPage given={{ fields }} />);
}

export async function protectDomain(context: Context<AddingServices>): Promise<PageResult> {
  const submitted = await submitNewDomain(context);
  if ("added" in submitted) return redirect(domainPath(submitted.added), submitted.flash);
  const { shown } = submitted;
  return page("Protect a domain", <NewDomainPage given={shown} />, {
    status: shown.error === undefined ? 200 : 400,
  });
}

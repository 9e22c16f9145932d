import type { DomainAssessment } from "../../../../threats/domains/assess.ts";
import { PublicError } from "../../../../platform/lib/errors.ts";
import { sentence } from "../../../../platform/lib/wording.ts";
import type { Permutation } from "../../../../engines/detection/generate/permutations.ts";
import type { DomainContent } from "../../../../threats/domains/declaration.ts";
import type { NamedThreat } from "../../../../threats/threats/store/queries.ts";
import { threatTypes } from "../../../../platform/vocabulary/threats.ts";
import { shellWord } from "../../../../platform/lib/shell-word.ts";
import { Section, type Flash } from "../../kit/components.tsx";
import { attempt, type FieldErrors } from "../../kit/fields.ts";
import { Button, Form, TextField, useForm } from "../../kit/form.tsx";
import { usePage } from "../../kit/page-context.ts";
import { Name } from "../../kit/inline.tsx";
import { page, redirect, type PageResult } from "../../kit/page-result.ts";
import { domainPath, domainsPath, newDomainPath, threatPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { Help } from "../../kit/disclosure.tsx";
import { column, Table, type Column } from "../../kit/table.tsx";
import { ComparedName } from "../../threat-kit/compared-name.tsx";
import { SeverityMark, StatusMark, TypeLegend, TypeName } from "../../threat-kit/threat-marks.tsx";
import { findDomain } from "../../threat-kit/domains.ts";
import { BrandKeywords, ContentFields, crumbsOf, declarationOf, withTicked } from "./form.tsx";

type AddingServices = "assessDomain" | "domains" | "scans";

/** State of the form for a new domain. */
export interface NewDomain {
  form: URLSearchParams;
  errors?: FieldErrors;
  /** Undefined before the first preview. */
  assessment?: DomainAssessment;
}

/** Result of a submitted form: a preview or an error to show, or the domain that was added. */
type Submitted = { shown: NewDomain } | { added: string; flash: Flash };

/** Previews or adds the domain, depending on the button; then starts a scan if that was ticked. */
export async function submitNewDomain(context: Context<AddingServices>): Promise<Submitted> {
  const { services, by, write } = context;
  const form = withTicked(context.form);
  const submitted = await attempt(async (): Promise<Submitted> => {
    const declared = declarationOf(form);
    if (context.form.get("step") === "look")
      return { shown: { form, assessment: await services.assessDomain(declared) } };
    const { domain } = await write(() => services.domains.add(declared, { by }));
    return { added: domain, flash: await startFirstScan(context, domain) };
  });
  return submitted.ok ? submitted.value : { shown: { form, errors: submitted.errors } };
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
  given: { assessment },
  inSetup = false,
}: {
  given: NewDomain;
  /** The setup asks for the name first, and starts the scan in a step of its own. */
  inSetup?: boolean;
}) {
  const { may } = usePage();
  const { errors } = useForm();
  const isNameOnly = inSetup && assessment === undefined && Object.keys(errors).length === 0;
  return (
    <>
      <TextField
        label="Domain"
        name="domain"
        required
        maxLength={300}
        placeholder="example.com"
        autofocus={assessment === undefined}
        hint="The registered name, in any script, without www. Its subdomains are covered."
      />
      {isNameOnly ? null : <ContentFields suggestions={assessment?.suggestions} />}
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

function newDomainPage(given: NewDomain): PageResult {
  const { form, errors, assessment } = given;
  return page(
    {
      title: "Protect a domain",
      crumbs: [{ label: "Protected domains", path: domainsPath }],
      lead: "Preview suggestions and some of its look-alikes first, or protect it right away.",
      errors,
    },
    <>
      <Form action={newDomainPath} class="narrow" form={form} errors={errors}>
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
    </>,
  );
}

export function showNewDomain({ query }: Context): PageResult {
  return newDomainPage({ form: new URLSearchParams({ domain: query.get("domain") ?? "" }) });
}

export async function protectDomain(context: Context<AddingServices>): Promise<PageResult> {
  const submitted = await submitNewDomain(context);
  return "added" in submitted
    ? redirect(domainPath(submitted.added), submitted.flash)
    : newDomainPage(submitted.shown);
}

/** Generated look-alikes with the marks of difference; those that are threats are marked and linked. */
function LookAlikes(props: {
  domain: DomainContent;
  lookAlikes: readonly Permutation[];
  /** Threats among them; undefined: the domain is not protected yet. */
  known?: readonly NamedThreat[];
}) {
  const { lookAlikes, known } = props;
  const { domain, keywords } = props.domain;
  const threatOf = new Map(known?.map((threat) => [threat.domain, threat]));
  const columns: Column<Permutation>[] = [
    column("Look-alike", "wide title", ({ name }) => (
      <LookAlikeName name={name} domain={domain} keywords={keywords} threat={threatOf.get(name)} />
    )),
    ...(known === undefined
      ? []
      : [
          column<Permutation>("Threat", "tight state", ({ name }) => (
            <ThreatState threat={threatOf.get(name)} />
          )),
        ]),
    column("Type", "tight under", ({ type }) => <TypeName type={type} />),
    column(
      <div class="line tight nowrap">
        Similarity
        <Help topic="similarity" />
      </div>,
      known === undefined ? "number state" : "number end",
      ({ similarity }) => similarity.toFixed(2),
    ),
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

function LookAlikeName(props: {
  name: string;
  domain: string;
  keywords: readonly string[];
  threat: NamedThreat | undefined;
}) {
  const { name, domain, keywords, threat } = props;
  const compared = <ComparedName domain={name} protectedDomain={domain} keywords={keywords} />;
  return threat === undefined ? compared : <a href={threatPath(threat.id)}>{compared}</a>;
}

function ThreatState({ threat }: { threat: NamedThreat | undefined }) {
  if (threat === undefined) return <span class="faint">–</span>;
  const { status, severity, verified } = threat;
  return status === "active" ? (
    <SeverityMark severity={severity} verified={verified} />
  ) : (
    <StatusMark status={status} />
  );
}

export async function showLookAlikes(
  context: Context<"assessDomain" | "domains" | "threats">,
): Promise<PageResult> {
  const domain = findDomain(context);
  const { domain: name, keywords, allow } = domain;
  const { lookAlikes } = await context.services.assessDomain({ domain: name, keywords, allow });
  const known = context.services.threats.named(
    name,
    lookAlikes.map((one) => one.name),
  );
  return page(
    {
      title: `Look-alikes of ${name}`,
      heading: (
        <>
          Look-alikes of <Name name={name} />
        </>
      ),
      crumbs: crumbsOf(name),
      lead: (
        <>
          A sample of each type, whether registered or not; those that are threats are linked. To list all of
          them, run <code>phishwatch permutations {shellWord(name)}</code>. To find those that exist, start a
          scan.
        </>
      ),
    },
    <LookAlikes domain={domain} lookAlikes={lookAlikes} known={known} />,
  );
}

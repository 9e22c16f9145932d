import type { DomainAssessment } from "../../../../threats/domains/assess.ts";
import { grouped } from "../../../../platform/lib/wording.ts";
import { FormError } from "../../kit/components.tsx";
import { Button, Form } from "../../kit/form.tsx";
import { Icon } from "../../kit/icons.tsx";
import { Name } from "../../kit/name.tsx";
import { usePage } from "../../kit/page-context.ts";
import { domainPath, domainsPath, welcomePath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { compareNames, ComparedName } from "../../threat-kit/compared-name.tsx";
import { TypeName } from "../../threat-kit/threat-type.tsx";
import { NewDomainFields, type NewDomain } from "../domains/adding.tsx";
import { SkipStep } from "./step-links.tsx";

const domainsShownMax = 5;
const lookAlikesShownMax = 8;

export function DomainStep(props: {
  services: Context<"domains">["services"];
  done: boolean;
  given: NewDomain | undefined;
}) {
  const { services, done, given } = props;
  const { may } = usePage();
  const names = services.domains.list().flatMap(({ domain, enabled }) => (enabled ? [domain] : []));
  const isForm = !done || given !== undefined;
  if (!isForm || !may("administer"))
    return (
      <>
        <ul class="s">
          {names.slice(0, domainsShownMax).map((name) => (
            <li class="line tight">
              <Icon name="domain" />
              <a class="ink" href={domainPath(name)}>
                <Name name={name} />
              </a>
            </li>
          ))}
          {names.length > domainsShownMax ? (
            <li>
              <a href={domainsPath}>all {grouped(names.length)} protected domains</a>
            </li>
          ) : null}
        </ul>
        <div class="line">
          <SkipStep step="domain" done={done} />
        </div>
      </>
    );
  const shown = given ?? { fields: { domain: "", keywords: "", allow: "" } };
  const { assessment, error } = shown;
  return (
    <>
      <FormError message={error?.field === undefined ? error?.message : undefined} />
      <Form action={`${welcomePath}/domain`} class="stack">
        <NewDomainFields given={shown} inSetup />
        {assessment === undefined ? null : <Preview assessment={assessment} />}
        <div class="line">
          <Button
            label={assessment === undefined ? "Preview" : `Protect ${assessment.content.domain}`}
            name="step"
            value={assessment === undefined ? "look" : "add"}
            variant="primary"
          />
          <Button
            label={assessment === undefined ? "Protect domain" : "Preview again"}
            name="step"
            value={assessment === undefined ? "add" : "look"}
          />
          <SkipStep step="domain" done={false} />
        </div>
      </Form>
    </>
  );
}

/** Some of the look-alikes that are searched for, with the marks of difference. */
function Preview({ assessment: { content, lookAlikes } }: { assessment: DomainAssessment }) {
  return (
    <section class="card flush" aria-labelledby="preview">
      <header>
        <h3 id="preview">
          Look-alikes of <Name name={content.domain} /> that are searched for
        </h3>
      </header>
      <ul class="rows">
        {lookAlikes.slice(0, lookAlikesShownMax).map(({ name, type }) => (
          <li class="line try-row">
            <ComparedName name={name} comparison={compareNames(name, content.domain, content.keywords)} />
            <span class="push faint">
              <TypeName type={type} />
            </span>
          </li>
        ))}
        {lookAlikes.length === 0 ? (
          <li class="line try-row">No generated variant of this name is similar enough.</li>
        ) : null}
      </ul>
    </section>
  );
}

import type { ProtectedDomain } from "../../../../threats/domains/domains.ts";
import { counted, grouped } from "../../../../platform/lib/wording.ts";
import { FormError, LinkButton, PageHead, Section, Confirm } from "../../kit/components.tsx";
import { Button, Form } from "../../kit/form.tsx";
import { Name } from "../../kit/name.tsx";
import type { Flash } from "../../kit/marks.tsx";
import { page, redirect, type PageResult } from "../../kit/page-result.ts";
import { domainPath, domainsPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { findDomain, isDeclared, threatCounts } from "../../threat-kit/domains.ts";
import {
  BrandKeywords,
  ContentFields,
  declarationOf,
  fieldErrorOf,
  fieldsOf,
  readFields,
  type DomainFields,
  type FieldError,
} from "./form.tsx";

function EditPage(props: { domain: ProtectedDomain; fields?: DomainFields; error?: FieldError }) {
  const { domain, fields = fieldsOf(domain), error } = props;
  const path = domainPath(domain.domain);
  return (
    <>
      <PageHead
        title={
          <>
            Edit <Name name={domain.domain} />
          </>
        }
        crumbs={[
          { label: "Protected domains", path: domainsPath },
          { label: domain.domain, path },
        ]}
      />
      <FormError message={error?.field === undefined ? error?.message : undefined} />
      <Form action={path} class="narrow">
        <ContentFields fields={fields} error={error} />
        <div class="line">
          <Button label="Save changes" variant="primary" />
          <LinkButton path={path} label="Cancel" variant="plain" />
        </div>
      </Form>
      <Section title="Where its words count">
        <BrandKeywords domain={domain} />
      </Section>
    </>
  );
}

/** Returns why a domain cannot be changed here, if so. */
function whyFixed(domain: ProtectedDomain): Flash | undefined {
  const { domain: name, enabled } = domain;
  if (isDeclared(domain))
    return {
      tone: "warning",
      text: `${name} is declared in the configuration file. To change or remove it, edit the file.`,
    };
  return enabled
    ? undefined
    : { tone: "warning", text: `${name} is no longer protected. Protect it again first.` };
}

export function showEdit(context: Context<"domains">): PageResult {
  const domain = findDomain(context);
  const fixed = whyFixed(domain);
  if (fixed !== undefined) return redirect(domainPath(domain.domain), fixed);
  return page(`Edit ${domain.domain}`, <EditPage domain={domain} />);
}

export async function changeDomain(context: Context<"archiveChecks" | "domains">): Promise<PageResult> {
  const domain = findDomain(context);
  const { services, form, by } = context;
  const fields = { ...readFields(form), domain: domain.domain };
  try {
    const { keywords, allow } = declarationOf(fields);
    const content = { keywords, allow };
    const changed = await context.write(() => services.domains.change(domain.domain, content, { by }));
    const isWider = changed.widenings !== domain.widenings;
    const isChecked = isWider && services.archiveChecks.find(domain.domain) !== undefined;
    const scope = isChecked ? "Applies to new names and to names seen before" : "Applies to new names";
    return redirect(domainPath(domain.domain), `Saved. ${scope}; existing threats are unchanged.`);
  } catch (error) {
    const content = <EditPage domain={domain} fields={fields} error={fieldErrorOf(error)} />;
    return page(`Edit ${domain.domain}`, content, { status: 400 });
  }
}

export function confirmRemoval(context: Context<"domains" | "threats">): PageResult {
  const row = findDomain(context);
  const { domain } = row;
  const fixed = whyFixed(row);
  if (fixed !== undefined) return redirect(domainPath(domain), fixed);
  const { all, active } = threatCounts(context.services, domain);
  return page(
    `Stop protecting ${domain}`,
    <Confirm
      title={`Stop protecting ${domain}?`}
      action={`${domainPath(domain)}/remove`}
      button="Stop protecting"
      back={domainPath(domain)}
    >
      <p>New look-alikes are no longer detected, and scans no longer include this domain.</p>
      {all === 0 ? (
        <p>It has no threats, so it is deleted.</p>
      ) : (
        <p>
          Its <strong>{counted(all, "threat")}</strong> ({grouped(active)} active) are kept and can still be
          triaged. You can protect the domain again at any time.
        </p>
      )}
    </Confirm>,
  );
}

export async function removeDomain(context: Context<"domains" | "threats">): Promise<PageResult> {
  const { domain } = findDomain(context);
  const { services, by } = context;
  const { all } = threatCounts(services, domain);
  const outcome = await context.write(() => services.domains.remove(domain, { by }));
  const kept =
    outcome === "removed" ? "" : ` Its ${counted(all, "threat")} ${all === 1 ? "is" : "are"} kept.`;
  return redirect(domainsPath, `${domain} is no longer protected.${kept}`);
}

import type { ProtectedDomain } from "../../../../threats/domains/domains.ts";
import { counted, grouped } from "../../../../platform/lib/wording.ts";
import { FormButtons, Section, Confirm, type Flash } from "../../kit/components.tsx";
import { attempt, type FieldErrors } from "../../kit/fields.ts";
import { Form } from "../../kit/form.tsx";
import { Name } from "../../kit/inline.tsx";
import { page, redirect, type PageResult } from "../../kit/page-result.ts";
import { domainPath, domainsPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { findDomain, isDeclared, threatCounts } from "../../threat-kit/domains.ts";
import { BrandKeywords, ContentFields, crumbsOf, declarationOf, formOf, withTicked } from "./form.tsx";

function editPage(domain: ProtectedDomain, form: URLSearchParams, errors?: FieldErrors): PageResult {
  const path = domainPath(domain.domain);
  return page(
    {
      title: `Edit ${domain.domain}`,
      heading: (
        <>
          Edit <Name name={domain.domain} />
        </>
      ),
      crumbs: crumbsOf(domain.domain),
      errors,
    },
    <>
      <Form action={path} class="narrow" form={form} errors={errors}>
        <ContentFields />
        <FormButtons submit="Save changes" back={path} />
      </Form>
      <Section title="Where its words count">
        <BrandKeywords domain={domain} />
      </Section>
    </>,
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
  return editPage(domain, formOf(domain));
}

export async function changeDomain(context: Context<"archiveChecks" | "domains">): Promise<PageResult> {
  const domain = findDomain(context);
  const { services, by } = context;
  const form = withTicked(context.form);
  const { keywords, allow } = declarationOf(form);
  const done = await attempt(() =>
    context.write(() => services.domains.change(domain.domain, { keywords, allow }, { by })),
  );
  if (!done.ok) return editPage(domain, form, done.errors);
  const isWider = done.value.widenings !== domain.widenings;
  const isChecked = isWider && services.archiveChecks.find(domain.domain) !== undefined;
  const scope = isChecked ? "Applies to new names and to names seen before" : "Applies to new names";
  return redirect(domainPath(domain.domain), `Saved. ${scope}; existing threats are unchanged.`);
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

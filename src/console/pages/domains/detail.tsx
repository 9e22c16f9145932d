import type { ProtectedDomain } from "../../../domains/domains.ts";
import { notFound } from "../../../lib/errors.ts";
import { counted, grouped } from "../../../lib/wording.ts";
import {
  Confirm,
  DeclaredMark,
  Facts,
  LinkButton,
  PageHead,
  FormError,
  Section,
  Time,
} from "../../kit/components.tsx";
import { splitList } from "../../kit/fields.ts";
import { Button, Form, PostButton } from "../../kit/form.tsx";
import { Name } from "../../kit/name.tsx";
import { usePage } from "../../kit/page-context.ts";
import { fragment, page, redirect, type PageResult } from "../../kit/page-result.ts";
import { domainPath, domainsPath, newDomainPath, startScanPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import type { PageServices } from "../../shell/services.ts";
import { ChecksPanel, ThreatLinks, type CheckServices, type ThreatCounts } from "./checks.tsx";
import {
  ContentFields,
  fieldErrorOf,
  LookAlikes,
  readFields,
  BrandKeywords,
  type DomainFields,
  type FieldError,
} from "./form.tsx";

/** Counts the threats of a domain. */
export function threatCounts({ threats }: Pick<PageServices, "threats">, domain: string) {
  const total = (status?: "active") =>
    threats.list({ protectedDomain: domain, ...(status && { status }) }, { page: 1, perPage: 1 }).total;
  return { all: total(), active: total("active") };
}

export function findDomain({ services, params }: Context<"domains">): ProtectedDomain {
  const domain = services.domains.find(params["domain"]!);
  if (domain === undefined) throw notFound("There is no protected domain with this name.");
  return domain;
}

/** Returns whether the configuration file declares the domain, so that it can only be changed there. */
export function isDeclared({ origin, enabled }: ProtectedDomain): boolean {
  return origin === "file" && enabled;
}

function fieldsOf({ domain, keywords, allow }: ProtectedDomain): DomainFields {
  return { domain, keywords: keywords.join(" "), allow: allow.join("\n") };
}

function DomainPage({
  context,
  domain,
  fields = fieldsOf(domain),
  error,
  counts,
}: {
  context: Context<CheckServices>;
  domain: ProtectedDomain;
  fields?: DomainFields;
  error?: FieldError;
  counts: ThreatCounts;
}) {
  const { may } = usePage();
  const path = domainPath(domain.domain);
  return (
    <>
      <PageHead
        title={<Name name={domain.domain} />}
        back={{ label: "Protected domains", path: domainsPath }}
      >
        <LinkButton path={`${path}/look-alikes`} label="Look-alikes" />
        {domain.enabled ? (
          <PostButton action={startScanPath} label="Scan now" fields={{ domain: domain.domain }} />
        ) : (
          <PostButton
            action={newDomainPath}
            label="Protect again"
            fields={{ ...fieldsOf(domain), step: "add" }}
          />
        )}
        {domain.enabled && !isDeclared(domain) ? (
          <LinkButton path={`${path}/remove`} label="Remove" variant="danger" />
        ) : null}
      </PageHead>
      <FormError message={error?.field === undefined ? error?.message : undefined} />
      {domain.enabled ? null : (
        <p>This domain is no longer protected: new look-alikes are not detected. Its threats are kept.</p>
      )}
      <Facts
        facts={[
          ...(domain.enabled
            ? []
            : [["Threats", <ThreatLinks domain={domain.domain} counts={counts} />] as const]),
          ["Declared", isDeclared(domain) ? <DeclaredMark /> : "in the console or on the command line"],
          ["Since", <Time at={domain.createdAt} />],
        ]}
      />
      {domain.enabled ? (
        <Section title="Checks">
          <ChecksPanel context={context} domain={domain.domain} counts={counts} />
        </Section>
      ) : null}
      <Section title="Matching">
        {isDeclared(domain) || !domain.enabled || !may("administer") ? (
          <Facts
            facts={[
              ["Keywords", domain.keywords.length === 0 ? "none" : domain.keywords.join(", ")],
              ["Allow list", domain.allow.length === 0 ? "empty" : <AllowedNames names={domain.allow} />],
            ]}
          />
        ) : (
          <Form action={path} class="narrow">
            <ContentFields fields={fields} error={error} />
            <p class="line">
              <Button label="Save changes" />
            </p>
          </Form>
        )}
      </Section>
      <Section title="Brand keywords">
        <BrandKeywords domain={domain} />
      </Section>
    </>
  );
}

const namesShownMax = 100;

function AllowedNames({ names }: { names: readonly string[] }) {
  return (
    <ul class="plain">
      {names.slice(0, namesShownMax).map((name) => (
        <li>
          <Name name={name} />
        </li>
      ))}
      {names.length > namesShownMax ? (
        <li>and {counted(names.length - namesShownMax, "more", "more")}</li>
      ) : null}
    </ul>
  );
}

export function showDomain(context: Context<CheckServices | "domains" | "threats">): PageResult {
  const domain = findDomain(context);
  const counts = threatCounts(context.services, domain.domain);
  return page(domain.domain, <DomainPage context={context} domain={domain} counts={counts} />);
}

export function showChecks(context: Context<CheckServices | "domains" | "threats">): PageResult {
  const { domain } = findDomain(context);
  const counts = threatCounts(context.services, domain);
  return fragment(<ChecksPanel context={context} domain={domain} counts={counts} />);
}

export async function changeDomain(
  context: Context<CheckServices | "domains" | "threats">,
): Promise<PageResult> {
  const domain = findDomain(context);
  const { services, form, by } = context;
  const fields = { ...readFields(form), domain: domain.domain };
  try {
    const content = { keywords: splitList(fields.keywords), allow: splitList(fields.allow) };
    const changed = await context.write(() => services.domains.change(domain.domain, content, { by }));
    const isWider = changed.widenings !== domain.widenings;
    const isChecked = isWider && services.archiveChecks.find(domain.domain) !== undefined;
    const scope = isChecked ? "Applies to new names and to names seen before" : "Applies to new names";
    return redirect(domainPath(domain.domain), `Saved. ${scope}; existing threats are unchanged.`);
  } catch (error) {
    const counts = threatCounts(services, domain.domain);
    const content = (
      <DomainPage
        context={context}
        domain={domain}
        fields={fields}
        error={fieldErrorOf(error)}
        counts={counts}
      />
    );
    return page(domain.domain, content, { status: 400 });
  }
}

export async function showLookAlikes(context: Context<"assessDomain" | "domains">): Promise<PageResult> {
  const domain = findDomain(context);
  const { domain: name, keywords, allow } = domain;
  const { lookAlikes } = await context.services.assessDomain({ domain: name, keywords, allow });
  return page(
    `Look-alikes of ${name}`,
    <>
      <PageHead
        title={
          <>
            Look-alikes of <Name name={name} />
          </>
        }
        back={{ label: name, path: domainPath(name) }}
        lead={
          <>
            A sample of each type, whether registered or not. To list all of them, run{" "}
            <code>phishwatch permutations {name}</code>. To find those that exist, start a scan.
          </>
        }
      />
      <LookAlikes domain={domain} lookAlikes={lookAlikes} />
    </>,
  );
}

export function confirmRemoval(context: Context<"domains" | "threats">): PageResult {
  const row = findDomain(context);
  const { domain } = row;
  if (isDeclared(row)) {
    const text = `${domain} is declared in the configuration file. To remove it, edit the file and restart.`;
    return redirect(domainPath(domain), { tone: "warning", text });
  }
  const { all, active } = threatCounts(context.services, domain);
  const title = `Remove ${domain}`;
  return page(
    title,
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

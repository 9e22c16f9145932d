import type { Inspection } from "../../../../facts/inspection/inspections.ts";
import { badRequest } from "../../../../platform/lib/errors.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { capitalized, ended } from "../../../../platform/lib/wording.ts";
import { Confirm, PageHead } from "../../kit/components.tsx";
import { choicesOf, Button, Form, Select } from "../../kit/form.tsx";
import { Name } from "../../kit/inline.tsx";
import { page, redirect, type PageResult } from "../../kit/page-result.ts";
import { domainPath, inspectionPath, inspectionsPath, threatPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { isDeclared } from "../../threat-kit/domains.ts";
import { findInspection, type InspectionContext } from "./detail.tsx";

const nameCharactersMax = 80;
const source = "submission";

/** Inspects the same address now, also within an hour of its last inspection. */
export async function inspectAgain(context: Context<"inspections">): Promise<PageResult> {
  const { services, by, account } = context;
  const { address, id } = findInspection(context);
  const [outcome] = await services.inspections.request([address], {
    priority: "person",
    source,
    origin: { kind: "console", name: account.name },
    requestedBy: by,
    again: true,
  });
  if (outcome === undefined || outcome.outcome === "refused")
    return redirect(inspectionPath(id), {
      tone: "warning",
      text: ended(`The address ${visible(outcome?.reason ?? "was not read", 300)}`),
    });
  return redirect(inspectionPath(outcome.inspection.id));
}

/** Asks for the protected domain that the page imitates. */
export function askForThreat(context: InspectionContext): PageResult {
  const inspection = findInspection(context);
  if (inspection.threatId !== null) return redirect(threatPath(inspection.threatId));
  const domains = enabledDomains(context);
  const path = inspectionPath(inspection.id);
  return page(
    "Record a threat",
    <section class="card narrow">
      <PageHead
        title="Record a threat"
        lead={
          <>
            <Name name={inspection.host} /> becomes a threat of the type <i>cloned site</i>, with this
            inspection as its evidence.
          </>
        }
        crumbs={[
          { label: "Inspections", path: inspectionsPath },
          { label: visible(inspection.host, nameCharactersMax), path },
        ]}
      />
      <Form action={`${path}/threat`}>
        <Select
          label="Imitated protected domain"
          name="protected_domain"
          value={inspection.protectedDomain ?? undefined}
          choices={choicesOf(domains)}
        />
        <p class="line">
          <Button label="Record threat" variant="primary" />
          <a class="btn" href={path}>
            Cancel
          </a>
        </p>
      </Form>
    </section>,
  );
}

/** Records the page as a threat, because a person recognized an imitation that the comparison did not. */
export async function recordThreat(context: InspectionContext): Promise<PageResult> {
  const { services, form, by, now } = context;
  const { address, host, id: inspectionId, threatId, verdicts } = findInspection(context);
  if (threatId !== null) return redirect(threatPath(threatId));
  const protectedDomain = form.get("protected_domain") ?? "";
  if (!enabledDomains(context).includes(protectedDomain))
    throw badRequest("Choose a protected domain. If there is none, add it first.");
  const verdict = verdicts.find((one) => one.protectedDomain === protectedDomain);
  const { score, signals } = verdict ?? { score: 0, signals: [] };
  const id = await context.write(() => {
    // A second click may have come before the first one was recorded.
    const present = findInspection(context).threatId;
    if (present !== null) return present;
    const recordedId = services.threats.record([
      {
        domain: host,
        match: { protectedDomain, type: "cloned_site", similarity: score, reasons: [] },
        page: { score, signals },
        source,
        seenAt: now,
        url: address === host ? undefined : address,
      },
    ])[0]!.threatId;
    const text = `Recorded by hand: the page imitates ${protectedDomain}. Its inspection gave the score ${score}.`;
    services.threats.notes.add(recordedId, text, { by });
    services.inspections.linkThreat(inspectionId, recordedId);
    return recordedId;
  });
  return redirect(threatPath(id), "The threat is on record.");
}

/** Asks before a name is never considered a threat again. */
export function askToAllow(context: InspectionContext): PageResult {
  const inspection = findInspection(context);
  const { host } = inspection;
  const path = inspectionPath(inspection.id);
  const allowed = whereToAllow(context, inspection);
  if ("problem" in allowed) return redirect(path, { tone: "warning", text: allowed.problem });
  const { domain } = allowed;
  return page(
    "Allow a name",
    <Confirm
      title={`Allow ${visible(host, nameCharactersMax)} for ${domain}?`}
      action={`${path}/allow`}
      button="Allow the name"
      back={path}
    >
      <p>
        <Name name={host} /> and every name below it are added to the allowed names of{" "}
        <a href={domainPath(domain)}>{domain}</a>: they are never opened, and never become threats of this
        domain.
      </p>
      <p>
        Allow names that belong to you or to partners. Do not allow a name that others can use, such as that
        of a hosting service.
      </p>
    </Confirm>,
  );
}

export async function allowName(context: InspectionContext): Promise<PageResult> {
  const { services, by } = context;
  const inspection = findInspection(context);
  const { host } = inspection;
  const allowed = whereToAllow(context, inspection);
  if ("problem" in allowed)
    return redirect(inspectionPath(inspection.id), { tone: "warning", text: allowed.problem });
  const { domain } = allowed;
  await context.write(() => {
    const allow = services.domains.find(domain)?.allow ?? [];
    services.domains.change(domain, { allow: [...new Set([...allow, host])] }, { by });
  });
  return redirect(
    domainPath(domain),
    `${capitalized(visible(host, nameCharactersMax))} is allowed. Decide about its threats, if there are any.`,
  );
}

/** Returns the protected domain that a name would be allowed for, or why the console cannot allow it. */
function whereToAllow(
  { services }: InspectionContext,
  { protectedDomain }: Inspection,
): { domain: string } | { problem: string } {
  const found = protectedDomain === null ? undefined : services.domains.find(protectedDomain);
  if (found === undefined)
    return { problem: "The page refers to no protected domain, so there is nothing to allow." };
  const { domain } = found;
  return isDeclared(found)
    ? { problem: `${domain} is declared in the configuration file. Add the name to allow there.` }
    : { domain };
}

function enabledDomains({ services }: InspectionContext): string[] {
  return services.domains
    .list()
    .filter(({ enabled }) => enabled)
    .map(({ domain }) => domain);
}

import { counted, grouped } from "../../../../platform/lib/wording.ts";
import { Confirm } from "../../kit/components.tsx";
import { page, redirect, type PageResult } from "../../kit/page-result.ts";
import { domainPath, domainsPath } from "../../kit/paths.ts";
import type { Context } from "../../shell/router.ts";
import { whyFixed } from "./editing.tsx";
import { findDomain, threatCounts } from "../../threat-kit/domains.ts";

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

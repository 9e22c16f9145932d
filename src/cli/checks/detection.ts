import type { App } from "../../app/app.ts";
import type { Config } from "../../platform/config/config.ts";
import { describeWarning } from "../../engines/detection/brand/word-warnings.ts";
import { ownsNamesBelow, splitName } from "../../engines/detection/names/suffix.ts";
import { shellWord } from "../../platform/lib/shell-word.ts";
import { counted, grouped } from "../../platform/lib/wording.ts";
import { resultsOf, type CheckResult } from "./result.ts";

/** From here on, only names that differ by hardly anything are reported. */
const similarityHigh = 0.95;

/** Returns the protected domains, and which of them are public suffixes. */
export function protectedDomains({ domains }: Pick<App, "domains">): CheckResult[] {
  const enabled = domains.list().filter((domain) => domain.enabled);
  const results = resultsOf("protected-domains", "protected domains", "protected_domains");
  if (enabled.length === 0)
    return [
      results.warning(
        "none, so nothing can match",
        "add [[protected_domains]] with domain = \"example.com\", or run 'phishwatch domains add example.com'",
      ),
    ];
  const suffixes = enabled.filter(({ domain }) => isSuffix(domain));
  return [
    results.ok(String(enabled.length)),
    ...suffixes.map(({ domain }) =>
      resultsOf("protected-domains", `protected domain ${domain}`).ok(
        ownsNamesBelow(domain)
          ? "a public suffix, so all names below it count as yours"
          : "a public suffix of a hosting service, so names below it are checked like all others",
      ),
    ),
  ];
}

/** Returns the allowed domains below which others can register names, which are then never reported. */
export function allowedDomains({ domains }: Pick<App, "domains">): CheckResult[] {
  return domains
    .list()
    .flatMap(({ domain, allow, enabled, origin }) =>
      (enabled ? allow : [])
        .filter(isSuffix)
        .map((allowed) =>
          resultsOf("allowed-domains", `allowed domain of ${domain}`).warning(
            `${allowed} is a public suffix, so no look-alike below it is ever reported`,
            `replace "${allowed}" with the domains below it that belong to you`,
            origin === "file" ? `protected_domains["${domain}"].allow` : undefined,
          ),
        ),
    );
}

function isSuffix(domain: string): boolean {
  return splitName(domain).registrableLabel === "";
}

export function similarity({ detection }: Pick<Config, "detection">): CheckResult[] {
  if (detection.minSimilarity < similarityHigh) return [];
  return [
    resultsOf("similarity", "minimum similarity", "detection.min_similarity").warning(
      `with ${detection.minSimilarity}, most look-alikes are not reported`,
      "set it to 0.75, the default",
    ),
  ];
}

/** Returns the words that are not searched for everywhere. */
export function brandWords({ domains }: Pick<App, "domains">): CheckResult[] {
  const declared = domains.list().filter(({ origin }) => origin === "file");
  return domains
    .matcher()
    .warnings()
    .map((warning) => {
      const { advice, domain, word } = warning;
      const results = resultsOf("brand-words", `brand word "${word}" of ${domain}`);
      const detail = describeWarning(warning);
      if (advice === undefined) return results.ok(detail);
      return declared.some((one) => one.domain === domain)
        ? results.warning(
            detail,
            "add the longer names of the brand, each in quotation marks",
            `protected_domains["${domain}"].keywords`,
          )
        : results.warning(
            detail,
            `run 'phishwatch domains change ${shellWord(domain)} --keyword WORD' with a longer name of the brand`,
          );
    });
}

/** Returns the valid keys that are bound to a domain that is not protected, and so see less than expected. */
export function keysWithoutDomain({ keys, domains }: Pick<App, "keys" | "domains">): CheckResult[] {
  return keys
    .list()
    .filter(({ revokedAt }) => revokedAt === null)
    .flatMap(({ id, name, origin, domains: bound }) => {
      const missing = bound.filter((domain) => domains.find(domain)?.enabled !== true);
      if (missing.length === 0) return [];
      const { warning } = resultsOf("api-keys", `API key ${name}`);
      const detail = `bound to ${missing.join(", ")}, which is not protected, so it sees nothing of it; protect it, or`;
      const protect = `run 'phishwatch domains add ${shellWord(missing[0]!)}'`;
      return origin === "file"
        ? warning(
            `${detail} correct [[api_keys]]`,
            `remove "${missing[0]}", or ${protect}`,
            `api_keys["${name}"].domains`,
          )
        : warning(`${detail} revoke the key`, `${protect} or 'phishwatch keys revoke ${id}'`);
    });
}

/** Returns the filters that select nothing, because of a typing error or a domain that is no longer protected. */
export function filterResults({
  domains,
  lists,
  notifications,
  webhooks,
}: Pick<App, "domains" | "lists" | "notifications" | "webhooks">): CheckResult[] {
  const filters = [
    ...webhooks.endpoints.list().map(({ name, filter }) => ({ what: `endpoint ${name}`, filter })),
    ...notifications.subscriptions
      .list()
      .map(({ name, filter }) => ({ what: `subscription ${name}`, filter })),
    ...lists.list().map((filter) => ({ what: `list ${filter.name}`, filter })),
  ];
  return filters.flatMap(({ what, filter }) => {
    const missing = (filter?.protectedDomains ?? []).filter(
      (domain) => domains.find(domain)?.enabled !== true,
    );
    if (missing.length === 0) return [];
    return [
      resultsOf("filters", what).warning(
        `filtered by ${missing.join(", ")}, which is not protected, so it selects nothing of it`,
        `run 'phishwatch domains add ${shellWord(missing[0]!)}', or correct the filter`,
      ),
    ];
  });
}

/** Returns the checks of the archive that were interrupted or failed. The server continues them. */
export function archiveChecks({ archiveChecks: checks }: Pick<App, "archiveChecks">): CheckResult[] {
  return checks.list().flatMap(({ domain, state, namesChecked, namesTotal, error }) => {
    if (state === "completed" || namesTotal === 0) return [];
    const results = resultsOf("archive-checks", `names seen before, for ${domain}`);
    const progress = `${grouped(namesChecked)} of ${counted(namesTotal, "name")} checked`;
    if (state !== "failed") return [results.ok(`${progress}; the server continues`)];
    const detail = `${progress}; the server retries: ${error}`;
    return [results.warning(detail, "leave the server running, and read its log")];
  });
}

import type { App } from "../../app/app.ts";
import type { Config } from "../../platform/config/config.ts";
import { describeWarning } from "../../engines/detection/brand/word-warnings.ts";
import { ownsNamesBelow, splitName } from "../../engines/detection/names/suffix.ts";
import { counted, grouped } from "../../platform/lib/wording.ts";
import type { CheckResult } from "../check-results/check-result.ts";
import { shellWord } from "../../platform/lib/shell-word.ts";

/** From here on, only names that differ by hardly anything are reported. */
const similarityHigh = 0.95;

/** Returns the domains that are protected, and those of them below which names are registered. */
export function protectedDomains({ domains }: Pick<App, "domains">): CheckResult[] {
  const enabled = domains.list().filter((domain) => domain.enabled);
  const base = { check: "protected-domains", what: "protected domains" } as const;
  if (enabled.length === 0)
    return [
      {
        ...base,
        state: "warning",
        detail: "none, so nothing can match",
        setting: "protected_domains",
        change:
          "add [[protected_domains]] with domain = \"example.com\", or run 'phishwatch domains add example.com'",
      },
    ];
  const suffixes = enabled.filter(({ domain }) => isSuffix(domain));
  return [
    { ...base, state: "ok", detail: String(enabled.length) },
    ...suffixes.map(({ domain }): CheckResult => ({
      check: "protected-domains",
      what: `protected domain ${domain}`,
      state: "ok",
      detail: ownsNamesBelow(domain)
        ? "a public suffix, so all names below it count as yours"
        : "a public suffix of a hosting service, so names below it are checked like all others",
    })),
  ];
}

/** Returns the allowed domains below which others can register names, which are then never reported. */
export function allowedDomains({ domains }: Pick<App, "domains">): CheckResult[] {
  return domains.list().flatMap(({ domain, allow, enabled, origin }) =>
    (enabled ? allow : []).filter(isSuffix).map((allowed): CheckResult => {
      const detail = `${allowed} is a public suffix, so no look-alike below it is ever reported`;
      return {
        check: "allowed-domains",
        what: `allowed domain of ${domain}`,
        state: "warning",
        detail,
        ...(origin === "file" ? { setting: `protected_domains["${domain}"].allow` } : {}),
        change: `replace "${allowed}" with the domains below it that belong to you`,
      };
    }),
  );
}

function isSuffix(domain: string): boolean {
  return splitName(domain).registrableLabel === "";
}

export function similarity({ detection }: Pick<Config, "detection">): CheckResult[] {
  if (detection.minSimilarity < similarityHigh) return [];
  return [
    {
      check: "similarity",
      what: "minimum similarity",
      state: "warning",
      detail: `with ${detection.minSimilarity}, most look-alikes are not reported`,
      setting: "detection.min_similarity",
      change: "set it to 0.75, the default",
    },
  ];
}

/** Returns the words that are not searched for everywhere. */
export function brandWords({ domains }: Pick<App, "domains">): CheckResult[] {
  const declared = new Set(
    domains
      .list()
      .filter(({ origin }) => origin === "file")
      .map(({ domain }) => domain),
  );
  return domains
    .matcher()
    .warnings()
    .map((warning): CheckResult => {
      const { advice, domain, word } = warning;
      const base = { check: "brand-words", what: `brand word "${word}" of ${domain}` } as const;
      const detail = describeWarning(warning);
      if (advice === undefined) return { ...base, state: "ok", detail };
      const isDeclared = declared.has(domain);
      return {
        ...base,
        state: "warning",
        detail,
        ...(isDeclared ? { setting: `protected_domains["${domain}"].keywords` } : {}),
        change: isDeclared
          ? "add the longer names of the brand, each in quotation marks"
          : `run 'phishwatch domains change ${shellWord(domain)} --keyword WORD' with a longer name of the brand`,
      };
    });
}

/** Returns the valid keys that are bound to a domain that is not protected, and so see less than somebody expects. */
export function keysWithoutDomain({ keys, domains }: Pick<App, "keys" | "domains">): CheckResult[] {
  return keys
    .list()
    .filter(({ revokedAt }) => revokedAt === null)
    .flatMap(({ id, name, origin, domains: bound }): CheckResult[] => {
      const missing = bound.filter((domain) => domains.find(domain)?.enabled !== true);
      if (missing.length === 0) return [];
      const isDeclared = origin === "file";
      const remedy = isDeclared ? "protect it, or correct [[api_keys]]" : "protect it, or revoke the key";
      const detail = `bound to ${missing.join(", ")}, which is not protected, so it sees nothing of it; ${remedy}`;
      return [
        {
          check: "api-keys",
          what: `API key ${name}`,
          state: "warning",
          detail,
          ...(isDeclared ? { setting: `api_keys["${name}"].domains` } : {}),
          change: isDeclared
            ? `remove "${missing[0]}", or run 'phishwatch domains add ${shellWord(missing[0]!)}'`
            : `run 'phishwatch domains add ${shellWord(missing[0]!)}' or 'phishwatch keys revoke ${id}'`,
        },
      ];
    });
}

/** Returns the checks of the archive that were interrupted or failed. The server continues them. */
export function archiveChecks({ archiveChecks: checks }: Pick<App, "archiveChecks">): CheckResult[] {
  return checks.list().flatMap(({ domain, state, namesChecked, namesTotal, error }): CheckResult[] => {
    if (state === "completed" || namesTotal === 0) return [];
    const base = { check: "archive-checks", what: `names seen before, for ${domain}` } as const;
    const progress = `${grouped(namesChecked)} of ${counted(namesTotal, "name")} checked`;
    if (state !== "failed") return [{ ...base, state: "ok", detail: `${progress}; the server continues` }];
    const detail = `${progress}; the server retries: ${error}`;
    return [{ ...base, state: "warning", detail, change: "leave the server running, and read its log" }];
  });
}

import { readListName } from "../../../platform/config/fields/notification-texts.ts";
import { readProtectedDomain } from "../../../platform/config/fields/texts.ts";
import { dayMs } from "../../../platform/lib/clock.ts";
import { FieldError } from "../../../platform/lib/errors.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import { severities, statuses } from "../../../platform/vocabulary/threats.ts";
import type { DeclaredList } from "./list.ts";

/** Each list costs memory and time with every change of a threat. */
export const listsMax = 100;
const protectedDomainsMax = 10_000;
const tokenForm = /^[\x21-\x7e]{20,200}$/;
/** The server rejects such addresses, because a proxy in front of it could read them differently. */
const unusableInAddress = /\\|(?:^|\/)\.\.?(?:[/#]|$)/;
const hourMs = 3_600_000;
const maxAgeDaysMax = 3_650;

/**
 * Validates a list by the rules of the configuration file. Returns its settings, with its domains as A-labels.
 * @throws FieldError with what to change
 */
export function validateList(list: DeclaredList) {
  const { maxAgeMs, minSeverity, name, token, verifiedOnly } = list;
  const read = readListName(name);
  if (!("value" in read)) throw new FieldError("name", `"${visible(name, 100)}" is not ${read.allowed}`);
  checkToken(token);
  const wanted = statuses.filter((status) => list.statuses.includes(status));
  if (wanted.length === 0 || wanted.length < new Set(list.statuses).size)
    throw new FieldError("statuses", `choose one or more of these statuses: ${statuses.join(", ")}`);
  if (!severities.includes(minSeverity))
    throw new FieldError("min_severity", `the minimum severity must be one of ${severities.join(", ")}`);
  if (maxAgeMs !== null && !(maxAgeMs >= hourMs && maxAgeMs <= maxAgeDaysMax * dayMs))
    throw new FieldError("max_age", `the maximum age must be from 1h to ${maxAgeDaysMax}d`);
  const protectedDomains = readDomains(list.protectedDomains);
  return { token, statuses: wanted, minSeverity, verifiedOnly, protectedDomains, maxAgeMs };
}

function checkToken(token: string): void {
  if (!tokenForm.test(token))
    throw new FieldError(
      "token",
      "the token must be 20 to 200 visible ASCII characters; create one with: openssl rand -hex 24",
    );
  if (unusableInAddress.test(token))
    throw new FieldError(
      "token",
      "the token is part of an address, so it must not contain a backslash, or . or .. between slashes",
    );
}

function readDomains(names: readonly string[]): string[] {
  const domains = names.map((name) => {
    const result = readProtectedDomain(name);
    if ("value" in result) return result.value;
    throw new FieldError(
      "protected_domains",
      `the protected domain "${visible(name, 100)}" is not ${result.allowed}`,
    );
  });
  const distinct = [...new Set(domains)];
  if (distinct.length > protectedDomainsMax)
    throw new FieldError(
      "protected_domains",
      `a list can select at most ${protectedDomainsMax} protected domains`,
    );
  return distinct;
}

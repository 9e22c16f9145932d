import { splitName } from "../../../engines/detection/names/suffix.ts";
import { isAtOrBelow } from "../../../platform/lib/host-names.ts";

/** A protected domain with the names that its owner allows. A-labels. */
export interface Owner {
  domain: string;
  allow: readonly string[];
}

/**
 * Returns whether a host belongs to the owner of a protected domain: it is below the same registered domain, or allowed.
 * Below a public suffix, such as `gov.uk`, others have their own sites.
 */
export function isOwnHost(host: string, { domain, allow }: Owner): boolean {
  if (allow.some((name) => isAtOrBelow(host, name))) return true;
  const { registrableDomain } = splitName(domain);
  return registrableDomain === ""
    ? host === domain || host === `www.${domain}`
    : isAtOrBelow(host, registrableDomain);
}

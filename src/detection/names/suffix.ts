/** Splits a name at its public suffix, including the private section of the Public Suffix List. */
import { parse } from "tldts";

export interface NameParts {
  /** The suffix below which names are registered, such as `pages.dev` in `login.example.pages.dev`. */
  suffix: string;
  /** The label before the suffix. Empty if the name is itself a suffix. */
  registrableLabel: string;
  /** Registrable label and suffix. Empty if the name is itself a suffix. */
  registrableDomain: string;
  /** Labels before the registrable one, from left to right. */
  subLabels: string[];
  /** Whether the suffix belongs to a hosting service (private section of the list). */
  hosted: boolean;
}

export function splitName(name: string): NameParts {
  const parsed = parse(name, { allowPrivateDomains: true, validateHostname: false, extractHostname: false });
  return {
    suffix: parsed.publicSuffix ?? "",
    registrableLabel: parsed.domainWithoutSuffix ?? "",
    registrableDomain: parsed.domain ?? "",
    subLabels: parsed.subdomain ? parsed.subdomain.split(".") : [],
    hosted: parsed.isPrivate === true,
  };
}

/** Where a name divides: public suffix (private section included), registrable label, labels above it. */
import { parse } from "tldts";

export interface NameParts {
  /** `pages.dev` in `login.example.pages.dev`: what registrants register under. */
  suffix: string;
  /** The label before the suffix; empty when the name is itself a suffix. */
  registrableLabel: string;
  /** Registrable label and suffix; empty when the name is itself a suffix. */
  registrableDomain: string;
  /** Labels before the registrable one, from left to right. */
  subLabels: string[];
  /** Whether the suffix is a hoster's (private section of the list). */
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

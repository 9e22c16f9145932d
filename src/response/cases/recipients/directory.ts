import { isAtOrBelow } from "../../../platform/lib/host-names.ts";
import desks from "./abuse-desks.json" with { type: "json" };
import lists from "./browser-lists.json" with { type: "json" };
import authorities from "./certificate-authorities.json" with { type: "json" };
import suffixes from "./hosted-suffixes.json" with { type: "json" };

/** Abuse desks of networks and registrars that have a form. The rows that name no page of the desk come from abuse_whois (MIT). */
interface AbuseDesk {
  name: string;
  /** Domains of the email addresses by which registration data names the desk. */
  emailDomains: readonly string[];
  /** Absent if no stable form is known. */
  formUrl?: string;
  /** False if the desk says that it does not process emails. */
  readsEmail: boolean;
  /** Whether the network passes traffic on for sites that are hosted elsewhere. */
  isContentNetwork: boolean;
  /** Page that states this. */
  source: string;
  example: string;
}

export const abuseDesks: readonly AbuseDesk[] = desks;

/** Returns the desk that an address belongs to. */
export function deskOf(email: string): AbuseDesk | undefined {
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  return abuseDesks.find(({ emailDomains }) => emailDomains.includes(domain));
}

interface Contact {
  name: string;
  email?: string;
  formUrl?: string;
  /** Page that states the contact. */
  source: string;
  example: string;
}

/** A service that lets anyone create names below its domains, and that can delete such a name at once. */
interface HostedSuffix extends Contact {
  /** Domains of the service below which it gives out names; the public suffix list has most of them. */
  domains: readonly string[];
}

export const hostedSuffixes: readonly HostedSuffix[] = suffixes;

/** Returns the service that gave out a name. */
export function hostedSuffixOf(name: string): HostedSuffix | undefined {
  return hostedSuffixes.find(({ domains }) =>
    domains.some((domain) => name !== domain && isAtOrBelow(name, domain)),
  );
}

/** A certificate authority with the address for certificate problem reports (CA/Browser Forum, baseline requirements §4.9.3). */
interface CertificateAuthority extends Contact {
  /** Organizations that its issuing certificates name. */
  organizations: readonly string[];
}

export const certificateAuthorities: readonly CertificateAuthority[] = authorities;

/**
 * Returns the authority of an issuer. Accepts `organization, common name` and distinguished names such as
 * `CN=R11, O=Let's Encrypt, C=US`.
 */
export function authorityOf(issuer: string): CertificateAuthority | undefined {
  return certificateAuthorities.find(({ organizations }) =>
    organizations.some(
      (name) => issuer === name || issuer.startsWith(`${name}, `) || `, ${issuer},`.includes(`, O=${name},`),
    ),
  );
}

/** A list from which browsers and mail programs learn which pages to warn of. */
interface BrowserList {
  name: string;
  email?: string;
  formUrl?: string;
  /** Who is warned. */
  reach: string;
}

export const browserLists: readonly BrowserList[] = lists;

import { registeredDomain, splitName } from "../detection/names/suffix.ts";
import { networkName, type Facts, type HostNetwork } from "../enrichment/facts/facts.ts";
import { visible } from "../lib/safe-text.ts";
import type { Threat } from "../threats/store/queries.ts";
import { usableEmail } from "./usable-email.ts";

const quotedCharactersMax = 120;

/** Who can take a threat down. */
export interface AbuseContacts {
  /** The registrar's abuse desk; undefined if the registration data does not list it. */
  to: { email: string; who: string } | undefined;
  /** Other ways to reach somebody who can act, as sentences. */
  otherWays: string[];
}

export function abuseContactsOf(
  { domain, protectedDomain, whois }: Pick<Threat, "domain" | "protectedDomain" | "whois">,
  facts: Facts | undefined,
): AbuseContacts {
  const { suffix, hosted } = splitName(domain);
  const excluded = [hosted ? domain : (registeredDomain(domain) ?? domain), protectedDomain];
  const { abuse_phone: phone, registrar } = whois;
  const email = usableEmail(whois.abuse_email, { excluded });
  if (hosted) {
    // The registration belongs to the suffix, whose owner only gave the name out.
    const provider = `${suffix} belongs to a hosting provider that lets anyone create names under it. Contact its abuse desk.`;
    return { to: undefined, otherWays: [provider, ...networkWays(facts, excluded)] };
  }
  const who = registrar === undefined ? "the registrar" : visible(registrar, quotedCharactersMax);
  const otherWays: string[] = [];
  if (email === undefined)
    otherWays.push(
      registrar === undefined
        ? "The registrar is not known yet."
        : `No registrar abuse contact is listed in the registration data. ICANN's list of accredited registrars has the contact of ${who}.`,
    );
  if (phone !== undefined)
    otherWays.push(`Phone number of the registrar's abuse desk: ${visible(phone, 60)}.`);
  const topLevel = suffix.slice(suffix.lastIndexOf(".") + 1);
  if (topLevel !== "")
    otherWays.push(
      `The registry of .${topLevel} can suspend domains as well: https://www.iana.org/domains/root/db/${topLevel}.html lists its contact.`,
    );
  return {
    to: email === undefined ? undefined : { email, who },
    otherWays: [...otherWays, ...networkWays(facts, excluded)],
  };
}

function networkWays(facts: Facts | undefined, excluded: readonly string[]): string[] {
  const { existence, networks = [] } = facts ?? {};
  const current = existence?.addresses ?? [];
  const known = networks.filter(({ addresses }) => addresses.some((address) => current.includes(address)));
  if (known.length > 0) return known.map((network) => knownNetworkWay(network, excluded));
  const [address] = current;
  if (address === undefined) return [];
  return [
    `The hosting provider of ${visible(address, 60)} can take the page down. Its abuse contact is in the RDAP or WHOIS data of the IP address.`,
  ];
}

function knownNetworkWay(network: HostNetwork, excluded: readonly string[]): string {
  const email = usableEmail(network.abuseEmail, { excluded });
  const contact = email === undefined ? "lists no abuse contact" : `lists ${email}`;
  return `The hosting provider ${visible(networkName(network), quotedCharactersMax)} can take the page down: the registration data of the address ${contact} (${visible(network.url, 200)}).`;
}

import { splitName } from "../detection/names/suffix.ts";
import type { Facts } from "../enrichment/facts/facts.ts";
import { visible } from "../lib/safe-text.ts";
import type { Threat } from "../threats/store/queries.ts";

const quotedCharactersMax = 120;

/** Who can take a threat down. */
export interface AbuseContacts {
  /** The registrar's abuse desk; undefined if the registration data does not list it. */
  to: { email: string; who: string } | undefined;
  /** Other ways to reach somebody who can act, as sentences. */
  otherWays: string[];
}

export function abuseContactsOf(
  { domain, whois }: Pick<Threat, "domain" | "whois">,
  facts: Facts | undefined,
): AbuseContacts {
  const { suffix, hosted } = splitName(domain);
  const { abuse_email: email, abuse_phone: phone, registrar } = whois;
  if (hosted) {
    // The registration belongs to the suffix, whose owner only gave the name out.
    const provider = `${suffix} belongs to a hosting provider that lets anyone create names under it. Contact its abuse desk.`;
    return { to: undefined, otherWays: [provider, ...networkWay(facts)] };
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
    otherWays: [...otherWays, ...networkWay(facts)],
  };
}

function networkWay(facts: Facts | undefined): string[] {
  const address = facts?.existence?.addresses[0];
  if (address === undefined) return [];
  return [
    `The hosting provider of ${visible(address, 60)} can take the page down. Its abuse contact is in the RDAP or WHOIS data of the IP address.`,
  ];
}

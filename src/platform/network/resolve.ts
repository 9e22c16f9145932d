import { isIP } from "node:net";
import { describeRefusal, refusal, type AddressRules } from "./addresses.ts";
import { ExchangeError } from "./failure.ts";
import { ownAddressRefusal } from "./own-addresses.ts";

/** Resolves a host name to all its addresses. Throws if it has none. */
export type ResolveHost = (hostname: string) => Promise<string[]>;

/** Resolves host names, and decides which of their addresses may be connected to. */
export interface AddressAccess {
  rules: AddressRules;
  resolveHost: ResolveHost;
}

/**
 * Returns the addresses that a connection to `hostname` may go to. One forbidden address rejects the name as a whole:
 * a receiver and a metadata service do not share a name by accident.
 * @param hostname as in a URL: an IPv6 address is in brackets.
 * @throws ExchangeError of kind dns or refused_address.
 */
export async function allowedAddresses(given: AddressAccess & { hostname: string }): Promise<string[]> {
  const { hostname, rules, resolveHost } = given;
  const bare = hostname.replace(/^\[|\]$/g, "");
  const addresses = isIP(bare) === 0 ? await resolve(bare, resolveHost) : [bare];
  for (const address of addresses) {
    const refused = refusal(address, rules) ?? ownAddressRefusal(address, rules);
    if (refused === undefined) continue;
    const reason = describeRefusal(refused);
    throw new ExchangeError("refused_address", bare === address ? reason : `${bare}: ${reason}`, refused);
  }
  return addresses;
}

async function resolve(hostname: string, resolveHost: ResolveHost): Promise<string[]> {
  let addresses: string[];
  try {
    addresses = await resolveHost(hostname);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "failed";
    throw new ExchangeError("dns", `${hostname} cannot be resolved (${code})`);
  }
  if (addresses.length === 0) throw new ExchangeError("dns", `${hostname} has no address`);
  return addresses;
}

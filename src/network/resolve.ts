import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { describeRefusal, refusal, type AddressRules } from "./addresses.ts";
import { ExchangeError } from "./failure.ts";

/** All addresses of a host name. Throws when it has none. */
export type ResolveHost = (hostname: string) => Promise<string[]>;

/** The system's own way: the hosts file, then its name servers. */
export const resolveWithSystem: ResolveHost = async (hostname) => {
  const answers = await lookup(hostname, { all: true, order: "verbatim" });
  return answers.map((answer) => answer.address);
};

/**
 * The addresses that a connection to `hostname` may go to. One address that must not be connected to
 * refuses the name as a whole: nobody names a receiver and a metadata service alike by accident.
 * @param hostname as in a URL, so an IPv6 address stands in brackets
 * @throws ExchangeError of kind dns or refused_address
 */
export async function allowedAddresses({
  hostname,
  rules,
  resolveHost,
}: {
  hostname: string;
  rules: AddressRules;
  resolveHost: ResolveHost;
}): Promise<string[]> {
  const bare = hostname.replace(/^\[|\]$/g, "");
  const addresses = isIP(bare) === 0 ? await resolve(bare, resolveHost) : [bare];
  for (const address of addresses) {
    const refused = refusal(address, rules);
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

import type { Config } from "../../../platform/config/config.ts";
import type { Needs } from "../../../platform/lib/needs.ts";
import { createDnsClient, type DnsClient } from "../../../platform/network/dns/dns-client.ts";
import { systemResolvers } from "../../../platform/network/dns/system-resolvers.ts";
import { createExistenceLookup } from "./existence.ts";
import { createWildcardProbe } from "./wildcards.ts";

interface DnsDependencies extends Needs<"clock" | "fillRandom"> {
  config: Pick<Config, "scan">;
  /** Replaces DNS. */
  given: DnsClient | undefined;
}

/** Constructs the DNS client of the configuration, and the lookup of existence over it. */
export function openDns({ clock, config, fillRandom, given }: DnsDependencies) {
  const { scan } = config;
  const resolvers = () => (scan.resolvers.length > 0 ? scan.resolvers : systemResolvers());
  const queriesPerSecond = () => scan.queriesPerSecond;
  const dns = given ?? createDnsClient({ clock, fillRandom, resolvers, queriesPerSecond });
  const probeWildcard = createWildcardProbe({ clock, dns, fillRandom });
  return {
    dns,
    /** Looks up whether a name exists, with its records and who holds it. Never throws for what servers respond. */
    lookUp: createExistenceLookup({ dns, probeWildcard }),
  };
}

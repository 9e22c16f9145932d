import type { Needs } from "../../../platform/lib/needs.ts";
import type { DnsClient } from "../../../platform/network/dns/dns-client.ts";
import { createExistenceLookup, type LookUpExistence } from "./existence.ts";
import { createWildcardProbe } from "./wildcards.ts";

/** Looks up whether a name exists, with its records and who holds it. Never throws for what servers respond. */
export function createDnsLookup({
  clock,
  dns,
  fillRandom,
}: Needs<"clock" | "fillRandom"> & { dns: Pick<DnsClient, "query"> }): LookUpExistence {
  return createExistenceLookup({ dns, probeWildcard: createWildcardProbe({ clock, dns, fillRandom }) });
}

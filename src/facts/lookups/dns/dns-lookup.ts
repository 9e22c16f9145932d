import type { Clock } from "../../../platform/lib/clock.ts";
import type { FillRandom } from "../../../platform/lib/ids.ts";
import type { DnsClient } from "../../../platform/network/dns/dns-client.ts";
import { createExistenceLookup, type LookUpExistence } from "./existence.ts";
import { createWildcardProbe } from "./wildcards.ts";

/** Looks up whether a name exists, with its records and who holds it. Never throws for what servers respond. */
export function createDnsLookup({
  clock,
  dns,
  fillRandom,
}: {
  clock: Clock;
  dns: Pick<DnsClient, "query">;
  fillRandom: FillRandom;
}): LookUpExistence {
  return createExistenceLookup({ dns, probeWildcard: createWildcardProbe({ clock, dns, fillRandom }) });
}

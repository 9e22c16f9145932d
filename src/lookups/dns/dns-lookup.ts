import type { Clock } from "../../lib/clock.ts";
import type { FillRandom } from "../../lib/ids.ts";
import type { DnsClient } from "../../network/dns/dns-client.ts";
import { withCredibleAbsence } from "./credible-absence.ts";
import { createExistenceLookup, type LookUpExistence } from "./existence.ts";
import { createWildcardProbe } from "./wildcards.ts";

/** DNS lookups of suspicious names. No method throws for what servers respond. */
export interface DnsLookup {
  /** Looks up whether a name exists, with its records and who holds it. */
  lookUpExistence: LookUpExistence;
  /** Does the same, but believes that a name is gone only if its resolver knows names that always exist. */
  confirmExistence: LookUpExistence;
}

export function createDnsLookup({
  clock,
  dns,
  fillRandom,
}: {
  clock: Clock;
  dns: Pick<DnsClient, "query">;
  fillRandom: FillRandom;
}): DnsLookup {
  const probeWildcard = createWildcardProbe({ clock, dns, fillRandom });
  const lookUpExistence = createExistenceLookup({ dns, probeWildcard });
  return { lookUpExistence, confirmExistence: withCredibleAbsence({ dns, lookUp: lookUpExistence }) };
}

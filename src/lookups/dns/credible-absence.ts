import type { DnsClient } from "../../network/dns/dns-client.ts";
import type { LookUpExistence } from "./existence.ts";

/** Always there, whoever is asked. */
const knownName = "com";

/**
 * The same look-up, that does not take a resolver's word for it that a name is gone unless the resolver knows a
 * name that is always there. One that is cut off from the world, or shut in on purpose, denies every name;
 * believed, it would make each threat look harmless.
 */
export function withCredibleAbsence({
  dns,
  lookUp,
}: {
  dns: Pick<DnsClient, "query">;
  lookUp: LookUpExistence;
}): LookUpExistence {
  let credible = false;
  return async (name, options) => {
    const existence = await lookUp(name, options);
    if (existence.exists !== "no" || credible) return existence;
    credible = (await dns.query(knownName, "NS", options)).outcome === "answer";
    if (credible) return existence;
    return { ...existence, exists: "unknown", reason: `the resolvers do not know ${knownName} either` };
  };
}

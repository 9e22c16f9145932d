import type { DnsClient } from "../../network/dns/dns-client.ts";
import type { LookUpExistence } from "./existence.ts";

/** Exists in every DNS that has a path to the root servers. */
const knownName = "com";

/**
 * Wraps a lookup so that a name counts as gone only if the resolver also knows a name that always exists. A resolver
 * that is cut off from the internet, or isolated on purpose, denies every name; believing it would make every threat
 * look harmless.
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
    return { ...existence, exists: "unknown", reason: `the resolvers do not know "${knownName}" either` };
  };
}

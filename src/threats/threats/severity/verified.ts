import type { ThreatType } from "../../../platform/vocabulary/threats.ts";
import type { SeverityFacts } from "./severity.ts";

/**
 * Returns whether a threat is more than a name: a lookup found that the name exists in DNS, an inspection found that its
 * page imitates the protected brand, or a visitor was shown a copy of the page there. The severity of a threat that is not
 * verified comes from its name alone. A threat whose name no longer exists in DNS is not verified.
 */
export function isVerified({
  type,
  cloneSeen,
  facts,
}: {
  type: ThreatType;
  /** Whether a visitor was ever shown a copy of the protected page there. */
  cloneSeen: boolean;
  facts?: Pick<SeverityFacts, "exists"> | undefined;
}): boolean {
  if (facts?.exists === "yes" || cloneSeen) return true;
  return type === "cloned_site" && facts?.exists !== "no";
}

import { createMatcher } from "../../src/engines/detection/match/matcher.ts";
import type { LookAlike } from "../../src/threats/threats/severity/name-evidence.ts";
import type { ThreatType } from "../../src/platform/vocabulary/threats.ts";

/** A name of which only the similarity and the type matter: from 0.95 on, it is a homograph. */
export function lookAlike({
  similarity,
  type = similarity >= 0.95 ? "homograph" : "typosquatting",
}: {
  similarity: number;
  type?: ThreatType | undefined;
}): LookAlike {
  return { domain: "exampel-bank.com", protectedDomain: "example-bank.com", type, similarity, reasons: [] };
}

/** Returns the look-alike that the detection finds in a name. */
export function matched(domain: string, protectedDomain: string): LookAlike {
  const matcher = createMatcher([{ domain: protectedDomain, keywords: [], allow: [] }], {
    minSimilarity: 0.75,
  });
  const [match] = matcher.match(domain);
  if (match === undefined) throw new Error(`no match: ${domain}`);
  return { domain, ...match };
}

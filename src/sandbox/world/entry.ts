import type { SeverityFacts } from "../../threats/threats/severity/severity.ts";
import type { SimilarityReason } from "../../threats/threats/severity/similarity-reasons.ts";
import type { Severity, Status, ThreatSource, ThreatType } from "../../platform/vocabulary/threats.ts";

/** The part of a sample threat that does not depend on the seed. The table in the documentation is made of these. */
export interface WorldEntry {
  domain: string;
  protectedDomain: string;
  type: ThreatType;
  similarity: number;
  reasons: SimilarityReason[];
  status: Status;
  source: ThreatSource;
  severity: Severity;
  /** Undefined: its name servers never responded. */
  evidence: SeverityFacts | undefined;
}

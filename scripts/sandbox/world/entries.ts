import type { Severity, Status, ThreatSource, ThreatType } from "../../../src/platform/vocabulary/threats.ts";
import { severityOf, type SeverityFacts } from "../../../src/threats/threats/severity/severity.ts";
import type { SimilarityReason } from "../../../src/threats/threats/severity/similarity-reasons.ts";
import namesText from "./names.txt" with { type: "text" };
import samples from "./samples.json" with { type: "json" };

/** The part of a sample threat that its name determines. The table in the manual is made of these. */
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

// The lengths of these lists have no common factor, so all combinations occur.
const statusTurn = samples.statuses as Status[];
const sourceTurn = samples.sources as ThreatSource[];
/** Null: its name servers never responded. */
const evidenceTurn = samples.evidence as (SeverityFacts | null)[];

export function worldEntries(): WorldEntry[] {
  return namesText
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line, index) => {
      const [domain = "", protectedDomain = "", type = "", similarity = "", reasons = "[]"] =
        line.split("\t");
      const evidence = evidenceTurn[index % evidenceTurn.length] ?? undefined;
      const found = {
        domain,
        protectedDomain,
        type: type as ThreatType,
        similarity: Number(similarity),
        reasons: JSON.parse(reasons) as SimilarityReason[],
      };
      const { severity } = severityOf(found, { facts: evidence });
      return {
        ...found,
        status: statusTurn[index % statusTurn.length]!,
        source: type === "cloned_site" ? "beacon" : sourceTurn[index % sourceTurn.length]!,
        severity,
        evidence,
      };
    });
}

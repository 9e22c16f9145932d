import { shortReasons } from "./severity/explain-severity.ts";
import { describeSeverityReason } from "./severity/severity-reasons.ts";
import { describeSimilarityReason, similarityCode } from "./severity/similarity-reasons.ts";
import type { Threat } from "./store/queries.ts";

/** Returns the reasons of a threat in their public JSON form: few words, and each reason as text and as code. */
export function reasonsJson({
  reasons,
  severityReasons,
  verified,
}: Pick<Threat, "reasons" | "severityReasons" | "verified">) {
  return {
    reasons: reasons.map(describeSimilarityReason),
    reason_codes: reasons.map(similarityCode),
    severity_summary: shortReasons({ severityReasons, verified }),
    severity_reasons: severityReasons.map(describeSeverityReason),
    severity_reason_codes: severityReasons.map(({ code }) => code),
  };
}

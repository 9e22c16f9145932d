import type { ThreatType } from "../../../platform/vocabulary/threats.ts";
import type { SeverityReason, SeverityReasonCode } from "./severity-reasons.ts";

/** Weights of what lookups found on a page that a beacon reported, and the sum that confirms the report. */
export const evidenceOfCopy = {
  page_imitates: 2,
  looks_like_original: 2,
  asks_for_secrets: 1,
  names_brand: 1,
} satisfies Partial<Record<SeverityReasonCode, number>>;
export const evidenceMin = 2;

const weights: ReadonlyMap<string, number> = new Map(Object.entries(evidenceOfCopy));

/**
 * Returns whether nothing but a beacon says that a threat is one. Anyone who reads a page with a beacon can forge a
 * report that a copy of it was shown on any host. If the name resembles nothing, others should block it only after a
 * lookup found a page that looks like the original, or that names the brand and asks for secrets.
 */
export function isMereReport({
  type,
  similarity,
  severityReasons,
}: {
  type: ThreatType;
  similarity: number;
  severityReasons: readonly SeverityReason[];
}): boolean {
  if (type !== "cloned_site" || similarity > 0) return false;
  const evidence = severityReasons.reduce((sum, { code }) => sum + (weights.get(code) ?? 0), 0);
  return evidence < evidenceMin;
}

import type { Severity, ThreatType } from "./values.ts";

// A name this close deceives a careful reader, this close a hurried one.
const highFrom = 0.95;
const mediumFrom = 0.85;

/**
 * How urgent a threat is, from the name alone: what one knows without looking at the network.
 *
 * @param similarity 0 to 1, as the detection gives it.
 */
export function severityOf({ type, similarity }: { type: ThreatType; similarity: number }): Severity {
  // A copy of the page is in use already, whatever its host is called.
  if (type === "cloned_site") return "high";
  if (similarity >= highFrom) return "high";
  return similarity >= mediumFrom ? "medium" : "low";
}

import { severities, type Severity } from "../../../platform/vocabulary/threats.ts";

interface Assessment {
  severity: Severity;
  verified: boolean;
}

/** Returns whether filters by severity or verification can match a threat after a change that they did not match before. */
export function isEscalation(before: Assessment, after: Assessment): boolean {
  return rises(before.severity, after.severity) || (after.verified && !before.verified);
}

export function rises(before: Severity, after: Severity): boolean {
  // From the most severe one on.
  return severities.indexOf(after) < severities.indexOf(before);
}

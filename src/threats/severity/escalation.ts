import { severities, type Severity } from "../../vocabulary/threats.ts";

interface Assessment {
  severity: Severity;
  verified: boolean;
}

/** Returns whether filters by severity or verification can match a threat after a change that they did not match before. */
export function isEscalation(before: Assessment, after: Assessment): boolean {
  // From the most severe one on.
  const rises = severities.indexOf(after.severity) < severities.indexOf(before.severity);
  return rises || (after.verified && !before.verified);
}

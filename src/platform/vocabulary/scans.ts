/** Triggers of a scan. */
export const scanTriggers = ["schedule", "console", "cli"] as const;
export type ScanTrigger = (typeof scanTriggers)[number];

export const scanStatuses = ["running", "completed", "failed", "cancelled"] as const;
export type ScanStatus = (typeof scanStatuses)[number];

/** Why a scan failed. */
export const scanFailures = [
  /** Every resolver denies names that exist. */
  "resolvers_deny",
  /** No resolver reports that a name does not exist. */
  "resolvers_lie",
  "resolvers_silent",
  /** Not a single look-alike could be resolved. */
  "nothing_resolved",
  /** The process that ran the scan ended. */
  "process_ended",
  "internal_error",
] as const;
export type ScanFailure = (typeof scanFailures)[number];

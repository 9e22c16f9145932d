/** Triggers of a scan. */
export const scanTriggers = ["schedule", "console", "cli"] as const;
export type ScanTrigger = (typeof scanTriggers)[number];

export const scanStatuses = ["running", "completed", "failed", "cancelled"] as const;
export type ScanStatus = (typeof scanStatuses)[number];

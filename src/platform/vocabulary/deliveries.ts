export const deliveryStatuses = ["pending", "succeeded", "failed"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/**
 * Selections of a replay:
 * - `failed`: deliveries that failed for good, to one recipient or to all
 * - `missed`: events that the recipient was never sent, because it was disabled or not there yet
 * - `all`: every event that the recipient subscribes to, whether delivered or not
 */
export const replaySelections = ["failed", "missed", "all"] as const;
export type ReplaySelection = (typeof replaySelections)[number];

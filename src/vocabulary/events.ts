/** Event types that a webhook endpoint can subscribe to. */
export const eventTypes = [
  "threat.created",
  "threat.updated",
  "threat.resolved",
  "scan.started",
  "scan.completed",
  "beacon.triggered",
  "token.accessed",
] as const;
export type EventType = (typeof eventTypes)[number];

/** Sent once to test an endpoint. It is not recorded as an event, so nothing subscribes to it. */
export const pingEventType = "webhook.ping";

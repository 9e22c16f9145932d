/** Event types that a recipient can subscribe to. */
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

/** When an event of each type is sent. */
export const eventDescriptions: Readonly<Record<EventType, string>> = {
  "threat.created": "A threat was recorded.",
  "threat.updated": "The status of a threat changed.",
  "threat.resolved": "A threat was resolved. Follows its threat.updated.",
  "scan.started": "A scan started.",
  "scan.completed": "A scan ended: completed, failed or cancelled.",
  "beacon.triggered": "A page that contains a beacon was opened on another site.",
  "token.accessed": "A honeytoken was opened.",
};

/** Sent once to test an endpoint. It is not recorded as an event, so nothing subscribes to it. */
export const pingEventType = "webhook.ping";

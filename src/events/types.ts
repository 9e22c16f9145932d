/** Everything that an endpoint can subscribe to (interface specification, "Event types"). */
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

/** Sent once when a registration is tested; not an event of the record, so nothing subscribes to it. */
export const pingEventType = "webhook.ping";

/** The body of a delivery. */
export interface EventBody {
  id: string;
  type: EventType | typeof pingEventType;
  created_at: string;
  data: object;
}

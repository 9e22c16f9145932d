/** Event types that a recipient can subscribe to, and when an event of each is sent. */
export const eventDescriptions = {
  "threat.created": "A threat was recorded.",
  "threat.updated": "The status of a threat changed.",
  "threat.resolved": "A threat was resolved. Follows its threat.updated.",
  "scan.started": "A scan started.",
  "scan.completed": "A scan ended: completed, failed or cancelled.",
  "beacon.triggered": "A page that contains a beacon was opened on another site.",
  "token.accessed": "A honeytoken was opened.",
};
export type EventType = keyof typeof eventDescriptions;
export const eventTypes = Object.keys(eventDescriptions) as [EventType, ...EventType[]];

/**
 * Type of a message that is addressed to one recipient of a channel for people. Stored like an event, but without
 * subscribers, and neither the API nor webhook endpoints show it.
 */
export const messageEventType = "message";

/** Types of everything that is stored as an event. */
export const recordedEventTypes = [...eventTypes, messageEventType] as const;
export type RecordedEventType = (typeof recordedEventTypes)[number];

/** Sent once to test an endpoint. It is not recorded as an event, so nothing subscribes to it. */
export const pingEventType = "webhook.ping";

/** Conditions of the appliance that people can subscribe to. Webhook endpoints are not sent them. */
export const systemEventTypes = [
  "system.source_stopped",
  "system.endpoint_failing",
  "system.scan_failed",
  "system.certificate_expiring",
  "system.disk_filling",
  "system.database_failing",
  "system.backup_failed",
  "system.reload_failed",
  "system.log_list_updated",
  "system.takedown_attention",
] as const;
export type SystemEventType = (typeof systemEventTypes)[number];

/** Types of everything that a subscription can contain. */
export const noticeTypes = [...eventTypes, ...systemEventTypes] as const;
export type NoticeType = (typeof noticeTypes)[number];

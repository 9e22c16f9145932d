import { type Static, type TProperties, type TSchema, Type } from "@sinclair/typebox";
import type { EventType, pingEventType } from "../../platform/vocabulary/events.ts";
import { scanTriggers } from "../../platform/vocabulary/scans.ts";
import {
  choice,
  closed,
  count,
  orNull,
  threatFields,
  time,
  trapId,
  typeId,
} from "../../platform/vocabulary/schemas.ts";
import { statuses } from "../../platform/vocabulary/threats.ts";

/**
 * The payload of each event type (`data` in its body): the only description, for the type of `outbox.record`, the
 * OpenAPI document and the generated client. Import types only where the schemas are not needed at run time.
 */

const object = <Fields extends TProperties>(fields: Fields) => Type.Object(fields, closed);
const text = (description: string) => Type.String({ description });
const textOrNull = (description: string) => orNull(text(description));

const { id, domain, protected_domain, type, status, severity, similarity } = threatFields;

const statusChange = object({
  threat: object({ id, domain, protected_domain, type, severity, similarity, status }),
  previous_status: choice(statuses, { description: "Status before the change." }),
});

const scanFields = {
  id: typeId("scan", "Scan ID."),
  protected_domains: Type.Array(Type.String(), { description: "Protected domains of the scan." }),
  trigger: choice(scanTriggers, { description: "Trigger of the scan." }),
};

const visitor = {
  ip_address: textOrNull("IP address of the visitor."),
  user_agent: textOrNull("User agent that the visitor sent."),
  referrer: textOrNull("Referrer that the visitor sent."),
  at: time("When the visit occurred."),
};

export const payloadSchemas = {
  "threat.created": object({ threat: object({ id, domain, type, severity, similarity }) }),
  "threat.updated": statusChange,
  "threat.resolved": statusChange,
  "scan.started": object({
    scan: object({
      ...scanFields,
      status: choice(["running"], { description: "Status of the scan." }),
      started_at: time("When the scan started."),
    }),
  }),
  "scan.completed": object({
    scan: object({
      ...scanFields,
      status: choice(["completed", "failed", "cancelled"], { description: "Outcome of the scan." }),
      started_at: time("When the scan started."),
      completed_at: time("When the scan ended."),
      candidates: count("Candidate names that were looked up."),
      resolving: count("Candidates that resolve."),
      threats_found: count("Look-alikes found."),
      threats_created: count("New threats."),
      error: Type.Optional(text("Reason for the failure.")),
    }),
  }),
  "beacon.triggered": object({
    beacon: object({
      id: trapId("beacon", "Beacon ID."),
      name: text("Name."),
      protected_domain,
    }),
    hit: object({
      hostname: text("Host of the page; empty for a page without a host, such as a local file."),
      url: text("URL of the page."),
      ...visitor,
    }),
    threat: orNull(object({ id })),
  }),
  "token.accessed": object({
    token: object({
      id: trapId("honeytoken", "Honeytoken ID."),
      name: text("Name."),
      kind: text("Kind of honeytoken."),
    }),
    access: object(visitor),
  }),
} satisfies Record<EventType, TSchema>;

export type EventPayload = { [Name in EventType]: Static<(typeof payloadSchemas)[Name]> };

/** The body of a delivery. */
export interface EventBody {
  id: string;
  type: EventType | typeof pingEventType;
  created_at: string;
  data: EventPayload[EventType] | Record<string, never>;
}

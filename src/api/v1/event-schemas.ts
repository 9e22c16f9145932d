import { threatFields } from "../../vocabulary/threat-fields.ts";
import { Type, type TSchema } from "@sinclair/typebox";
import { eventTypes, pingEventType, type EventType } from "../../vocabulary/events.ts";
import { choice, closed, count, orNull, time, trapId, typeId } from "../../vocabulary/schemas.ts";
import { scanTriggers } from "../../vocabulary/scans.ts";
import { statuses } from "../../vocabulary/threats.ts";

/** Bodies of webhook events (`data` by event type), for the document's `webhooks` section. */

const object = (fields: Record<string, TSchema>) => Type.Object(fields, closed);
const text = (description: string) => Type.String({ description });
const textOrNull = (description: string) => orNull(Type.String({ description }));

const {
  id: threatId,
  domain,
  protected_domain: protectedDomain,
  type,
  severity,
  similarity,
  status,
} = threatFields;

const statusChange = object({
  threat: object({
    id: threatId,
    domain,
    protected_domain: protectedDomain,
    type,
    severity,
    similarity,
    status,
  }),
  previous_status: choice(statuses, { description: "Status before the change." }),
});

const scanFields = {
  id: typeId("scan", "Scan ID."),
  protected_domains: Type.Array(Type.String(), { description: "Protected domains of the scan." }),
  trigger: choice(scanTriggers, { description: "What started the scan." }),
};

const visitor = {
  ip_address: textOrNull("IP address of the visitor."),
  user_agent: textOrNull("User agent that the visitor sent."),
  referrer: textOrNull("Referrer that the visitor sent."),
  at: time("When the event occurred."),
};

const dataOf: Record<EventType, TSchema> = {
  "threat.created": object({ threat: object({ id: threatId, domain, type, severity, similarity }) }),
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
      error: Type.Optional(text("Why the scan failed.")),
    }),
  }),
  "beacon.triggered": object({
    beacon: object({
      id: trapId("beacon", "Beacon ID."),
      name: text("Name."),
      protected_domain: protectedDomain,
    }),
    hit: object({
      hostname: text("Host of the page; empty for a page without a host, such as a local file."),
      url: text("URL of the page."),
      ...visitor,
    }),
    threat: orNull(object({ id: threatId })),
  }),
  "token.accessed": object({
    token: object({
      id: trapId("honeytoken", "Honeytoken ID."),
      name: text("Name."),
      kind: text("Kind of honeytoken."),
    }),
    access: object(visitor),
  }),
};

const whenOf: Record<EventType, string> = {
  "threat.created": "A threat was recorded.",
  "threat.updated": "The status of a threat changed.",
  "threat.resolved": "A threat was resolved. Follows its threat.updated.",
  "scan.started": "A scan started.",
  "scan.completed": "A scan ended: completed, failed or cancelled.",
  "beacon.triggered": "A page that contains a beacon was opened on another site.",
  "token.accessed": "A honeytoken was opened.",
};

const body = (name: string, data: TSchema) =>
  Type.Object(
    {
      id: typeId("event", "Event ID: the same in every attempt."),
      type: Type.Literal(name),
      created_at: time("When the event occurred."),
      data,
    },
    closed,
  );

/** Every event that an endpoint can receive, with its trigger and its body. */
export const eventSchemas: { type: string; when: string; body: TSchema }[] = [
  ...eventTypes.map((name) => ({ type: name, when: whenOf[name], body: body(name, dataOf[name]) })),
  {
    type: pingEventType,
    when: "Tests an endpoint. Sent once, without retries.",
    body: body(pingEventType, object({})),
  },
];

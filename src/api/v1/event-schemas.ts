import { Type, type TSchema } from "@sinclair/typebox";
import { eventTypes, pingEventType, type EventType } from "../../vocabulary/events.ts";
import { choice, closed, count, orNull, time, typeId } from "../../http/schemas.ts";
import { threatFields } from "./threat-object.ts";
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
  previous_status: choice(statuses, { description: "The status before." }),
});

const scanFields = {
  id: typeId("scan", "Identifier of the scan."),
  protected_domains: Type.Array(Type.String(), { description: "What was scanned for." }),
  trigger: choice(scanTriggers, { description: "What set it off." }),
};

const visitor = {
  ip_address: textOrNull("Where the visitor came from."),
  user_agent: textOrNull("The visitor's browser, as it says."),
  referrer: textOrNull("The page before, as the browser says."),
  at: time("When it happened."),
};

const dataOf: Record<EventType, TSchema> = {
  "threat.created": object({ threat: object({ id: threatId, domain, type, severity, similarity }) }),
  "threat.updated": statusChange,
  "threat.resolved": statusChange,
  "scan.started": object({
    scan: object({
      ...scanFields,
      status: choice(["running"], { description: "It has just begun." }),
      started_at: time("When it began."),
    }),
  }),
  "scan.completed": object({
    scan: object({
      ...scanFields,
      status: choice(["completed", "failed", "cancelled"], { description: "How it ended." }),
      started_at: time("When it began."),
      completed_at: time("When it ended."),
      candidates: count("Names that were looked up."),
      resolving: count("Names that exist."),
      threats_found: count("Names that imitate."),
      threats_created: count("Threats that are new."),
      error: Type.Optional(text("Why it failed.")),
    }),
  }),
  "beacon.triggered": object({
    beacon: object({
      id: typeId("beacon", "Identifier of the beacon."),
      name: text("Its name."),
      protected_domain: protectedDomain,
    }),
    hit: object({
      hostname: text("The host that showed the page; empty where it had none, as a local file."),
      url: text("The page."),
      ...visitor,
    }),
    threat: orNull(object({ id: threatId })),
  }),
  "token.accessed": object({
    token: object({
      id: typeId("honeytoken", "Identifier of the honeytoken."),
      name: text("Its name."),
      kind: text("Its kind."),
    }),
    access: object(visitor),
  }),
};

const whenOf: Record<EventType, string> = {
  "threat.created": "A new threat is on record.",
  "threat.updated": "A threat's status changed, from anywhere.",
  "threat.resolved": "A threat was resolved; comes after its threat.updated.",
  "scan.started": "A scan began.",
  "scan.completed": "A scan ended, in whichever way.",
  "beacon.triggered": "A page with one of the beacons was opened elsewhere.",
  "token.accessed": "A honeytoken was used.",
};

const body = (name: string, data: TSchema) =>
  Type.Object(
    {
      id: typeId("event", "Identifier of the event: the same in every attempt."),
      type: Type.Literal(name),
      created_at: time("When it happened."),
      data,
    },
    closed,
  );

/** Every event that an endpoint may be sent: when, and with which body. */
export const eventSchemas: { type: string; when: string; body: TSchema }[] = [
  ...eventTypes.map((name) => ({ type: name, when: whenOf[name], body: body(name, dataOf[name]) })),
  {
    type: pingEventType,
    when: "An endpoint is tested. Sent once, not retried.",
    body: body(pingEventType, object({})),
  },
];

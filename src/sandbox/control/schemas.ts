import { Type } from "@sinclair/typebox";
import { verdicts } from "../../messaging/channels/webhook/signing.ts";
import { payloadSchemas } from "../../threats/events/payloads.ts";
import { deliveryStatuses } from "../../platform/vocabulary/channels.ts";
import { eventTypes } from "../../platform/vocabulary/events.ts";
import { choice, orNull, threatFields, time } from "../../platform/vocabulary/schemas.ts";
import { sightingOutcomes } from "../../platform/vocabulary/threats.ts";
import { endings } from "../faults/failures.ts";
import { sandboxKeys } from "../world/samples.ts";

// Schemas of the control plane's responses, for its OpenAPI document.

const text = (description?: string) => Type.String(description === undefined ? {} : { description });

export const eventTypeList = (description: string) =>
  Type.Array(Type.Union(eventTypes.map((one) => Type.Literal(one))), { description });

export const ready = Type.Object({
  url: text(),
  base_url: text("URL of the API; ends with /v1"),
  control_url: text("URL of the control plane; ends with /sandbox"),
  keys: Type.Object(
    Object.fromEntries(Object.entries(sandboxKeys).map(([name, { about }]) => [name, text(about)])),
  ),
  console_password: text(),
  seed: Type.Integer(),
  time: time("Sandbox time at the start"),
  pid: Type.Integer(),
});

export const clock = Type.Object({
  now: time("Sandbox time"),
  flows: Type.Boolean({ description: "Whether the clock runs with real time" }),
});

const { id, domain, protected_domain, type, severity, status, similarity } = threatFields;

export const madeThreat = Type.Object({
  id,
  domain,
  protected_domain,
  type,
  severity,
  status,
  similarity,
  outcome: choice(sightingOutcomes, { description: "Whether the threat is new" }),
});

export const certificate = Type.Object({
  names: Type.Array(text()),
  issuer: text("Common name of the issuer"),
  serial: text("Hexadecimal"),
  not_before: time("Start of its validity"),
  logged_at: time("When the log gets it"),
  index: orNull(Type.Integer({ description: "Index of the entry; null before the log gets it" })),
  threats: Type.Array(Type.Object({ id, domain, protected_domain, type, severity, status, similarity }), {
    description: "Threats that have this certificate",
  }),
});

export const { scan } = payloadSchemas["scan.completed"].properties;

export const visit = Type.Object({
  id: text("ID of the beacon or honeytoken"),
  name: text(),
  url: text("Requested URL"),
  class: orNull(text("Class of the visit; null if it was only counted")),
  event_id: orNull(text()),
  threat_id: orNull(text()),
});

export const endpoint = Type.Object({
  id: text(),
  name: text(),
  url: text(),
  events: Type.Array(text(), { description: "Empty: all event types" }),
  enabled: Type.Boolean(),
  real_timestamps: Type.Boolean({ description: "Whether its deliveries are signed with the real time" }),
  secret: text(),
  previous_secret: orNull(text("Secret before the rotation, which also signs; null: none")),
  previous_secret_until: orNull(time("Sandbox time at which the previous secret stops signing")),
});

export const replayed = Type.Object({
  deliveries: Type.Integer({ description: "Number of deliveries that are sent" }),
});

export const delivery = Type.Object({
  id: text(),
  event_id: text(),
  type: text(),
  endpoint: text("Name of the endpoint"),
  status: choice(deliveryStatuses, { description: "Status of the delivery" }),
  next_attempt_at: orNull(time("Null: no further attempt")),
  attempts: Type.Array(
    Type.Object({
      at: time("When the attempt started"),
      status: orNull(Type.Integer({ description: "HTTP status; null: no response" })),
      failure: orNull(text()),
      error: orNull(text()),
      duration_ms: Type.Integer({ description: "Real time from connecting to the end of the response" }),
      response: text("Start of the response, with escapes for characters that are not printable"),
    }),
  ),
});

const verdict = Type.Union(verdicts.map((one) => Type.Literal(one)));
const ending = endings.map((one) => Type.Literal(one));

export const message = Type.Object({
  number: Type.Integer({ description: "1 for the first message" }),
  received_at: time("Sandbox time of arrival"),
  event_id: orNull(text()),
  type: orNull(text()),
  attempt: Type.Integer({ description: "1 for the first delivery of this event to this inbox" }),
  signature_valid: Type.Boolean({ description: "Whether both signatures are valid" }),
  signatures: Type.Object({ service: verdict, standard: verdict }),
  endpoint_id: orNull(text("Endpoint whose secret signed the message")),
  answered: Type.Union([Type.Integer(), ...ending], {
    description: "Response of the inbox",
  }),
  headers: Type.Record(Type.String(), Type.String()),
  body: text("Byte for byte"),
  event: Type.Unknown({ description: "The body as JSON; null if it is not valid JSON" }),
});

export const fault = Type.Object({
  left: Type.Integer({ description: "Remaining requests" }),
  method: orNull(text()),
  path: orNull(text()),
  status: orNull(Type.Integer()),
  delay_ms: Type.Integer(),
  answer: orNull(Type.Union(ending)),
  retry_after: orNull(Type.Integer()),
});

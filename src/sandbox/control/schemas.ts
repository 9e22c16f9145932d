import { Type } from "@sinclair/typebox";
import { sandboxKeys } from "../world/keys.ts";

/** What the control plane answers, for its document. */

const text = (description?: string) => Type.String(description === undefined ? {} : { description });
const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) =>
  Type.Union([schema, Type.Null()]);
const time = (description: string) => Type.String({ format: "date-time", description });
const verdict = Type.Union([Type.Literal("valid"), Type.Literal("invalid"), Type.Literal("missing")]);

export const nothing = Type.Object({ data: Type.Object({}) });

export const ready = Type.Object({
  url: text(),
  base_url: text("of the API; ends with /v1"),
  control_url: text("ends with /sandbox"),
  keys: Type.Object(
    Object.fromEntries(Object.entries(sandboxKeys).map(([name, { about }]) => [name, text(about)])),
  ),
  console_password: text(),
  seed: Type.Integer(),
  time: time("what the clock showed at the start"),
  pid: Type.Integer(),
});

export const clock = Type.Object({ now: time("what it shows"), flows: Type.Boolean() });

export const madeThreat = Type.Object({
  id: text(),
  domain: text(),
  protected_domain: text(),
  type: text(),
  severity: text(),
  status: text(),
  similarity: Type.Number(),
  outcome: Type.Union([Type.Literal("created"), Type.Literal("known")]),
});

export const scan = Type.Object({
  id: text(),
  protected_domains: Type.Array(text()),
  trigger: text(),
  status: text(),
  started_at: time("when it began"),
  completed_at: time("when it ended"),
  candidates: Type.Integer(),
  resolving: Type.Integer(),
  threats_found: Type.Integer(),
  threats_created: Type.Integer(),
  error: Type.Optional(text("why it failed")),
});

export const hit = Type.Object({
  id: text("of the beacon or token"),
  name: text(),
  url: text("what was asked for"),
  class: orNull(text("what the visit was taken for; null: it is counted only")),
  event_id: orNull(text()),
  threat_id: orNull(text()),
});

export const endpoint = Type.Object({
  id: text(),
  name: text(),
  url: text(),
  events: Type.Array(text(), { description: "none: all" }),
  enabled: Type.Boolean(),
  secret: text(),
});

export const delivery = Type.Object({
  id: text(),
  event_id: text(),
  type: text(),
  endpoint: text("its name"),
  status: Type.Union([Type.Literal("pending"), Type.Literal("succeeded"), Type.Literal("failed")]),
  next_attempt_at: orNull(time("null: it is over")),
  attempts: Type.Array(
    Type.Object({
      at: time("when it began"),
      status: orNull(Type.Integer({ description: "null: no answer" })),
      failure: orNull(text()),
      error: orNull(text()),
    }),
  ),
});

export const message = Type.Object({
  number: Type.Integer({ description: "1 for the first" }),
  received_at: time("by the sandbox's clock"),
  event_id: orNull(text()),
  type: orNull(text()),
  attempt: Type.Integer({ description: "1 for the first time that this event came" }),
  signature_valid: Type.Boolean({ description: "whether both signatures are right" }),
  signatures: Type.Object({ service: verdict, standard: verdict }),
  endpoint_id: orNull(text("whose secret signed it")),
  answered: Type.Union([Type.Integer(), Type.Literal("reset"), Type.Literal("silence")]),
  headers: Type.Record(Type.String(), Type.String()),
  body: text("byte for byte"),
  event: Type.Unknown({ description: "the body as JSON; null: it is none" }),
});

export const fault = Type.Object({
  left: Type.Integer(),
  method: orNull(text()),
  path: orNull(text()),
  status: orNull(Type.Integer()),
  delay_ms: Type.Integer(),
  answer: orNull(Type.Union([Type.Literal("reset"), Type.Literal("silence")])),
  retry_after: orNull(Type.Integer()),
});

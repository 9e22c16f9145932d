import { Type, type TSchema } from "@sinclair/typebox";
import { payloadSchemas } from "../../../threats/events/payloads.ts";
import { eventDescriptions, eventTypes, pingEventType } from "../../../platform/vocabulary/events.ts";
import { closed, time, typeId } from "../../../platform/vocabulary/schemas.ts";

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

/** Every event that a webhook endpoint can receive, with its trigger and its body. */
export const eventSchemas: { type: string; when: string; body: TSchema }[] = [
  ...eventTypes.map((name) => ({
    type: name,
    when: eventDescriptions[name],
    body: body(name, payloadSchemas[name]),
  })),
  {
    type: pingEventType,
    when: "Tests an endpoint. Sent once, without retries.",
    body: body(pingEventType, Type.Object({}, closed)),
  },
];

import { Type } from "@sinclair/typebox";
import { actorChannels } from "../../../access/audit/actor.ts";
import { toIsoTime } from "../../../platform/lib/clock.ts";
import { choice, closed, orNull, threatFields, time } from "../../../platform/vocabulary/schemas.ts";
import { findThreat } from "./get-threat.ts";
import { operation } from "./services.ts";

const change = Type.Object(
  {
    at: time("When it was changed or found."),
    field: Type.String({
      description:
        "Field that changed, such as `status`, `severity`, `site state`, `assignee`, `due` or `page title`.",
    }),
    before: orNull(Type.String({ description: "Value before, as text; null: none or unknown." })),
    after: orNull(Type.String({ description: "Value after, as text; null: none or unknown." })),
    by: orNull(
      Type.Object(
        {
          via: choice(actorChannels, { description: "Channel." }),
          name: orNull(Type.String({ description: "Account, API key or shell user." })),
        },
        { ...closed, description: "Who changed it; null: a fact that lookups found." },
      ),
    ),
  },
  { ...closed, $id: "ThreatChange", description: "A change of a threat." },
);

const example = [
  {
    at: "2026-01-15T14:20:31.000Z",
    field: "status",
    before: "active",
    after: "resolved",
    by: { via: "console", name: "kim" },
  },
  { at: "2026-01-15T12:00:09.000Z", field: "site state", before: null, after: "up", by: null },
];

export const getThreatHistory = operation({
  method: "GET",
  path: "/v1/threats/{id}/history",
  id: "getThreatHistory",
  tag: "Threats",
  scope: "threats:read",
  summary: "Get the history of a threat",
  description:
    "Returns the changes, newest first: the latest 200 facts, and the latest 200 decisions, assignments and due times.",
  params: { id: threatFields.id },
  response: {
    description: "The changes.",
    schema: Type.Object({ data: Type.Array(change) }, closed),
    example: { data: example },
  },
  notFound: true,
  run(services, { caller, params }) {
    const { id } = findThreat(services, caller, params["id"]);
    return {
      data: services.threats.history(id).map(({ at, field, before, after, by }) => ({
        at: toIsoTime(at),
        field,
        before,
        after,
        by: by === null ? null : { via: by.channel, name: by.name },
      })),
    };
  },
});

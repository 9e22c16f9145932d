import { toIsoTime } from "../../../platform/lib/clock.ts";
import { threatFields } from "../../../platform/vocabulary/schemas.ts";
import { findThreat } from "./get-threat.ts";
import { operation } from "./services.ts";
import { described } from "./described.ts";
import definition from "./get-threat-history.json" with { type: "json" };

export const getThreatHistory = operation({
  ...described(definition),
  method: "GET",
  path: "/v1/threats/{id}/history",
  scope: "threats:read",
  params: { id: threatFields.id },
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

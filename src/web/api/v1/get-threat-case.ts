import { notFound } from "../../../platform/lib/errors.ts";
import { threatFields } from "../../../platform/vocabulary/schemas.ts";
import { findThreat } from "./get-threat.ts";
import { operation } from "./services.ts";
import { described } from "./described.ts";
import definition from "./get-threat-case.json" with { type: "json" };

export const getThreatCase = operation({
  ...described(definition),
  method: "GET",
  path: "/v1/threats/{id}/case",
  scope: "threats:read",
  params: { id: threatFields.id },
  run(services, { caller, params }) {
    const { id } = findThreat(services, caller, params["id"]);
    const found = services.caseOf(id);
    if (found === undefined) throw notFound("There is no threat with this ID.");
    return { data: caller.domains.length === 0 ? found : { ...found, campaign: null } };
  },
});

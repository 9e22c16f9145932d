import { jsonFields } from "../../../platform/lib/key-names.ts";
import { factsJson, inspectionJson } from "../../../facts/enrichment/facts/facts-json.ts";
import { originsJson } from "../../../threats/threats/origins-json.ts";
import { reasonsJson } from "../../../threats/threats/reasons-json.ts";
import { threatFields } from "../../../platform/vocabulary/schemas.ts";
import { notFound } from "../../../platform/lib/errors.ts";
import { findThreat } from "./get-threat.ts";
import { operation } from "./services.ts";
import { described } from "./described.ts";
import definition from "./get-threat-facts.json" with { type: "json" };

export const getThreatFacts = operation({
  ...described(definition),
  method: "GET",
  path: "/v1/threats/{id}/facts",
  scope: "threats:read",
  params: { id: threatFields.id },
  run(services, { caller, params }) {
    const { id } = findThreat(services, caller, params["id"]);
    const threat = services.threats.get(id);
    if (threat === undefined) throw notFound("There is no threat with this ID.");
    const known = services.factsOf(id);
    return {
      data: {
        verified: threat.verified,
        ...reasonsJson(threat),
        ...jsonFields({ lookedAt: known?.checkedAt, nextLookAt: known?.dueAt }),
        ...factsJson(known?.facts ?? { unknown: {} }),
        inspection: inspectionJson(known?.facts ?? {}),
        ...originsJson(services.threats.origins(id)),
      },
    };
  },
});

import { batchThreats } from "./batch-threats.ts";
import { exportThreats } from "./export-threats.ts";
import { getThreatCase } from "./get-threat-case.ts";
import { getThreatFacts } from "./get-threat-facts.ts";
import { getThreatHistory } from "./get-threat-history.ts";
import { getThreat } from "./get-threat.ts";
import { listThreats } from "./list-threats.ts";
import type { ApiLimits, ApiOperation } from "./services.ts";
import { submitCandidates } from "./submit-candidates.ts";
import { updateThreat } from "./update-threat.ts";

/** Returns every operation under `/v1`, in the order of the OpenAPI document. */
export function apiOperations(limits: ApiLimits): ApiOperation[] {
  return [
    listThreats(limits),
    exportThreats,
    getThreat,
    getThreatFacts,
    getThreatCase,
    getThreatHistory,
    updateThreat,
    batchThreats(limits),
    submitCandidates,
  ];
}

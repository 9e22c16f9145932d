import { Type } from "@sinclair/typebox";
import { jsonBody } from "../../http/body/json-body.ts";
import { exampleThreatId } from "../../../threats/threats/api-object.ts";
import { choice, closed } from "../../../platform/vocabulary/schemas.ts";
import type { Status } from "../../../platform/vocabulary/threats.ts";
import { actorOf, operation, type ApiLimits } from "./services.ts";
import { described } from "./described.ts";
import definition from "./batch-threats.json" with { type: "json" };

const actions = ["resolve", "mark_false_positive", "reactivate"] as const;
const statusAfter: Record<(typeof actions)[number], Status> = {
  resolve: "resolved",
  mark_false_positive: "false_positive",
  reactivate: "active",
};

const batch = (maxIds: number) =>
  Type.Object(
    {
      ids: Type.Array(Type.String(), {
        minItems: 1,
        maxItems: maxIds,
        description: "IDs of the threats to change. A repeated ID counts once.",
      }),
      action: choice(actions, {
        description:
          "`resolve` marks the threats as resolved, `mark_false_positive` as false positives, and `reactivate` makes them active again.",
      }),
    },
    { ...closed, description: "One change to several threats." },
  );

export const batchThreats = ({ maxBatchIds }: Pick<ApiLimits, "maxBatchIds">) =>
  operation({
    ...described(definition),
    method: "POST",
    path: "/v1/threats/batch",
    scope: "threats:write",
    body: jsonBody(batch(maxBatchIds), { example: { ids: [exampleThreatId], action: "resolve" } }),
    async run(services, call) {
      const { threats } = services;
      const { ids, action } = call.body;
      const options = { by: actorOf(services, call), within: call.caller.domains };
      const data = await threats.decisions.changeStatus(ids, statusAfter[action], options);
      const meta = { updated: 0, unchanged: 0, not_found: 0, forbidden: 0 };
      for (const { outcome } of data) meta[outcome] += 1;
      return { data, meta };
    },
  });

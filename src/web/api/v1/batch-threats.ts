import { Type } from "@sinclair/typebox";
import { jsonBody } from "../../http/body/json-body.ts";
import { exampleThreatId } from "../../../threats/threats/api-object.ts";
import { choice, closed, count } from "../../../platform/vocabulary/schemas.ts";
import { decisionOutcomes, statuses, type Status } from "../../../platform/vocabulary/threats.ts";
import { actorOf, operation, type ApiLimits } from "./services.ts";

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

const batchItem = Type.Object(
  {
    id: Type.String({ description: "The ID as sent." }),
    outcome: choice(decisionOutcomes, { description: "Result for this threat." }),
    status: Type.Optional(
      choice(statuses, { description: "Resulting status; absent if not found or forbidden." }),
    ),
  },
  { ...closed, $id: "BatchItem" },
);

const batchMeta = Type.Object(
  {
    updated: count("Threats whose status changed."),
    unchanged: count("Threats that already had the status."),
    not_found: count("IDs that match no threat."),
    forbidden: count("Threats that this key may not change."),
  },
  { ...closed, $id: "BatchMeta" },
);

export const batchThreats = ({ maxBatchIds }: Pick<ApiLimits, "maxBatchIds">) =>
  operation({
    method: "POST",
    path: "/v1/threats/batch",
    id: "batchThreats",
    tag: "Threats",
    scope: "threats:write",
    summary: "Change the status of several threats",
    description:
      "One transaction: either all changes happen or none. An unknown ID does not cause the call to fail. Each threat whose status changed emits the same events as a single change.",
    body: jsonBody(batch(maxBatchIds), { example: { ids: [exampleThreatId], action: "resolve" } }),
    response: {
      description: "One item for each distinct ID, in the order of first appearance.",
      schema: Type.Object({ data: Type.Array(batchItem), meta: batchMeta }, closed),
      example: {
        data: [{ id: exampleThreatId, outcome: "updated", status: "resolved" }],
        meta: { updated: 1, unchanged: 0, not_found: 0, forbidden: 0 },
      },
    },
    notFound: false,
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

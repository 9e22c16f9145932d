import { Type } from "@sinclair/typebox";
import { jsonBody } from "../../http/body/json-body.ts";
import { exampleDetail, toDetailObject } from "../../../threats/threats/api-object.ts";
import { choice, closed, threatFields } from "../../../platform/vocabulary/schemas.ts";
import { statuses } from "../../../platform/vocabulary/threats.ts";
import { findThreat, threatResponse } from "./get-threat.ts";
import { actorOf, operation } from "./services.ts";

const statusChange = Type.Object(
  { status: choice(statuses, { description: "New status of the threat." }) },
  { ...closed, description: "A change of a threat's status." },
);

export const updateThreat = operation({
  method: "PATCH",
  path: "/v1/threats/{id}",
  id: "updateThreat",
  tag: "Threats",
  scope: "threats:write",
  summary: "Change the status of a threat",
  description:
    "Any status can follow any other. Setting the current status succeeds, changes nothing and emits no event.",
  params: { id: threatFields.id },
  body: jsonBody(statusChange, { example: { status: "resolved" } }),
  response: {
    description: "The threat after the change.",
    schema: threatResponse,
    example: { data: { ...exampleDetail, status: "resolved" } },
  },
  notFound: true,
  async run(services, call) {
    const { database, threats, publicUrl } = services;
    const { caller: key, params, body } = call;
    const threat = findThreat(services, key, params["id"]);
    const options = { by: actorOf(services, call), within: key.domains };
    // Read in the same transaction, so that the response never shows another caller's later change.
    const changed = await database.write(() => {
      threats.changeStatus([threat.id], body.status, options);
      return findThreat(services, key, threat.id);
    });
    return { data: toDetailObject(changed, publicUrl()) };
  },
});

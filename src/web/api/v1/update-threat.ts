import { Type } from "@sinclair/typebox";
import { jsonBody } from "../../http/body/json-body.ts";
import { toDetailObject } from "../../../threats/threats/api-object.ts";
import { choice, closed, threatFields } from "../../../platform/vocabulary/schemas.ts";
import { statuses } from "../../../platform/vocabulary/threats.ts";
import { findThreat } from "./get-threat.ts";
import { actorOf, operation } from "./services.ts";
import { described } from "./described.ts";
import definition from "./update-threat.json" with { type: "json" };

const statusChange = Type.Object(
  { status: choice(statuses, { description: "New status of the threat." }) },
  { ...closed, description: "A change of a threat's status." },
);

export const updateThreat = operation({
  ...described(definition),
  method: "PATCH",
  path: "/v1/threats/{id}",
  scope: "threats:write",
  params: { id: threatFields.id },
  body: jsonBody(statusChange, { example: { status: "resolved" } }),
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

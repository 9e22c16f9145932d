import { Type } from "@sinclair/typebox";
import type { ApiKey } from "../../../access/keys/keys.ts";
import { requireDomain } from "../../../access/keys/permissions.ts";
import { JsonText } from "../../http/operation.ts";
import { notFound } from "../../../platform/lib/errors.ts";
import { isId } from "../../../platform/lib/ids.ts";
import { exampleDetail, threatDetail } from "../../../threats/threats/api-object.ts";
import type { ThreatDetail } from "../../../threats/threats/store/queries.ts";
import { closed, threatFields } from "../../../platform/vocabulary/schemas.ts";
import { type ApiServices, operation } from "./services.ts";

export const threatResponse = Type.Object({ data: threatDetail }, closed);

export const getThreat = operation({
  method: "GET",
  path: "/v1/threats/{id}",
  id: "getThreat",
  tag: "Threats",
  scope: "threats:read",
  summary: "Get a threat",
  description: "Returns all known facts about a threat.",
  params: { id: threatFields.id },
  response: { description: "The threat.", schema: threatResponse, example: { data: exampleDetail } },
  notFound: true,
  run({ threats, publicUrl }, { caller, params }) {
    const { text } = requireThreat((id) => threats.detailResponse(id, publicUrl()), caller, params["id"]);
    return new JsonText(text);
  },
});

/** @throws PublicError `not_found`, `forbidden` */
export function findThreat(
  { threats }: Pick<ApiServices, "threats">,
  key: ApiKey,
  id: string | null | undefined,
): ThreatDetail {
  return requireThreat(threats.detail, key, id);
}

function requireThreat<Found extends { protectedDomain: string }>(
  find: (id: string) => Found | undefined,
  key: ApiKey,
  id: string | null | undefined,
): Found {
  const threat = typeof id === "string" && isId("threat", id) ? find(id) : undefined;
  if (threat === undefined) throw notFound("There is no threat with this ID.");
  requireDomain(key, threat.protectedDomain);
  return threat;
}

import { notFound } from "../../../lib/errors.ts";
import { isId } from "../../../lib/ids.ts";
import type { Threat } from "../../../threats/store/queries.ts";
import type { Context } from "../../shell/router.ts";

export const threatServices = [
  "config",
  "deliveries",
  "domains",
  "enrichment",
  "eventLog",
  "threatIndex",
  "threats",
  "traps",
] as const;
export type ThreatContext = Context<(typeof threatServices)[number]>;

/** @throws PublicError `not_found` */
export function findThreat({ services, params }: Context<"threats">): Threat {
  const id = params["id"] ?? "";
  const threat = isId("threat", id) ? services.threats.get(id) : undefined;
  if (threat === undefined) throw notFound("There is no threat with this ID.");
  return threat;
}

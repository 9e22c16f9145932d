import type { Actor } from "../../../access/audit/actor.ts";
import type { ApiKey } from "../../../access/keys/keys.ts";
import type { CaseOf } from "../../../response/cases/case-json.ts";
import type { Database } from "../../../platform/database/database.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import type { Enrichment } from "../../../facts/enrichment/enrichment.ts";
import type { Inspections } from "../../../facts/inspection/inspections.ts";
import { operationsOf, type Operation } from "../../http/operation.ts";
import type { ThreatExports } from "../../../response/outputs/exports/threat-exports.ts";
import type { Candidates } from "../../../intake/sources/candidates.ts";
import type { ThreatIndex } from "../../../threats/index/threat-index.ts";
import type { Threats } from "../../../threats/threats/threats.ts";
import type { Scope } from "../../../platform/vocabulary/keys.ts";

/** Services that the operations under `/v1` use. */
export interface ApiServices {
  database: Pick<Database, "write">;
  threats: Threats;
  threatIndex: () => ThreatIndex;
  exports: Pick<ThreatExports, "open">;
  candidates: Pick<Candidates, "submit">;
  inspections: Pick<Inspections, "enqueue">;
  /** Returns the facts that lookups found; undefined if none was made yet. */
  factsOf: Enrichment["factsOf"];
  caseOf: CaseOf;
  now: () => Instant;
  /** Without a trailing slash. */
  publicUrl: () => string;
  /** Undefined where the peer is unknown. */
  clientAddress: (request: Request) => string | undefined;
}

/** Limits that the configuration sets and the schemas of the operations state. */
export interface ApiLimits {
  maxPerPage: number;
  maxBatchIds: number;
}

interface Stated {
  tag: string;
  scope: Scope;
  description: string;
  /** Whether a 404 means that the threat does not exist. */
  notFound: boolean;
}

export type ApiOperation = Operation<ApiServices, ApiKey> & Stated;

/** Declares an operation under `/v1`. */
export const operation = operationsOf<ApiServices, ApiKey, Stated>();

/** Returns the actor that the history and the audit log name for this call. */
export function actorOf(
  { clientAddress }: Pick<ApiServices, "clientAddress">,
  { caller, request }: { caller: ApiKey; request: Request },
): Actor {
  return { channel: "api", name: caller.name, address: clientAddress(request) ?? null };
}

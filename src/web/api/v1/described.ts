import { actorChannels } from "../../../access/audit/actor.ts";
import { reasonCodes } from "../../../response/cases/grouping/reasons.ts";
import { contactSources } from "../../../response/cases/recipients/recipient.ts";
import { deliveryStates, reportPurposes } from "../../../response/cases/takedowns/report.ts";
import {
  exampleDetail,
  exampleListItem,
  threatDetail,
  threatListItem,
} from "../../../threats/threats/api-object.ts";
import { recipientKinds, reportMethods } from "../../../platform/vocabulary/cases.ts";
import { csvHeader } from "../../../response/outputs/exports/csv.ts";
import { threatFields } from "../../../platform/vocabulary/schemas.ts";
import { registrationSources, siteStates } from "../../../platform/vocabulary/site.ts";
import {
  decisionOutcomes,
  sightingOutcomes,
  statuses,
  threatSources,
} from "../../../platform/vocabulary/threats.ts";
import type { ApiOperation } from "./services.ts";

/** Values that an `enum` of a file names. */
const vocabularies: Readonly<Record<string, readonly string[]>> = {
  actorChannels,
  contactSources,
  decisionOutcomes,
  deliveryStates,
  reasonCodes,
  recipientKinds,
  registrationSources,
  reportMethods,
  reportPurposes,
  sightingOutcomes,
  siteStates,
  statuses,
  threatSources,
};

/** Schemas and examples that a `$ref` of a file names: `threat.id`, `ThreatDetail`. */
const references: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(Object.entries(threatFields).map(([name, schema]) => [`threat.${name}`, schema])),
  ThreatDetail: threatDetail,
  ThreatListItem: threatListItem,
  "example.csv": csvHeader,
  "example.detail": exampleDetail,
  "example.listItem": exampleListItem,
  "example.resolved": { ...exampleDetail, status: "resolved" },
};

/** The texts and the response of an operation, from the JSON file beside it. */
type Description = Pick<ApiOperation, "description" | "id" | "notFound" | "response" | "summary" | "tag">;

/**
 * Returns the content of a file with the vocabularies, schemas and examples that it names. A schema with an `$id` becomes one of the
 * document's components.
 * @throws Error for a name that is not known
 */
export function described(file: object): Description {
  return resolved(file) as Description;
}

function resolved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolved);
  if (typeof value !== "object" || value === null) return value;
  const { $ref, enum: values } = value as { $ref?: string; enum?: unknown };
  if ($ref !== undefined) return named(references, $ref);
  const parts = Object.entries(value).map(([key, part]) => [key, resolved(part)]);
  const whole: object = Object.fromEntries(parts);
  return typeof values === "string" ? { ...whole, enum: named(vocabularies, values) } : whole;
}

function named<T>(known: Readonly<Record<string, T>>, name: string): T {
  const found = known[name];
  if (found === undefined) throw new Error(`${name} is no vocabulary, schema or example of the API`);
  return found;
}

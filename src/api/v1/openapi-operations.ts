import { Type, type TSchema } from "@sinclair/typebox";
import type { Scope } from "../../vocabulary/keys.ts";
import { severities, statuses } from "../../vocabulary/threats.ts";
import { responseSchemas, type ResponseSchemaName } from "./response-schemas.ts";
import { batchSchema, candidatesSchema, choice, statusChangeSchema } from "./schemas.ts";

/** One operation under `/v1`, as the document describes it. */
export interface Operation {
  method: "get" | "patch" | "post";
  /** As OpenAPI writes it. */
  path: string;
  id: string;
  tag: string;
  summary: string;
  description: string;
  scope: Scope;
  parameters: { name: string; in: "query" | "path"; description: string; schema: TSchema }[];
  /** By media type. */
  body: Record<string, { schema: TSchema; example: unknown }>;
  answer: { description: string; schema: TSchema; example: unknown };
  /** Errors besides 400, 401, 403, 429 and 500. */
  notFound: boolean;
}

const ref = (name: ResponseSchemaName) => Type.Unsafe({ $ref: `#/components/schemas/${name}` });
const answerOf = (fields: Record<string, TSchema>) => Type.Object(fields, { additionalProperties: false });

const exampleId = "thr_01h455vb4pex5vsknk084sn02q";
const listItem = {
  id: exampleId,
  domain: "examp1e-bank.com",
  protected_domain: "example-bank.com",
  type: "homograph",
  status: "active",
  severity: "high",
  similarity: 0.9688,
  source: "certificate_transparency",
  first_seen: "2026-01-15T12:00:01.000Z",
  screenshot_url: `https://phishwatch.example/screenshots/${exampleId}/kJm3Rk0vS2a9Qw1xZb5T7A`,
};
const { first_seen: _, ...common } = listItem;
const detail = {
  ...common,
  created_at: "2026-01-15T12:00:02.417Z",
  ip_address: "192.0.2.10",
  registrar: "Example Registrar, Inc.",
  whois: { source: "rdap", registrar: "Example Registrar, Inc.", created_at: "2026-01-14T09:00:00.000Z" },
};
const idParameter = {
  name: "id",
  in: "path" as const,
  description: "Identifier of the threat.",
  schema: responseSchemas.ThreatListItem.properties.id,
};
const page = (description: string, maximum: number, byDefault: number) =>
  Type.Integer({ minimum: 1, maximum, default: byDefault, description });
const json = (schema: TSchema, example: unknown) => ({ "application/json": { schema, example } });

/** @param limits those of the configuration */
export function describeOperations({
  maxPerPage,
  maxBatchIds,
}: {
  maxPerPage: number;
  maxBatchIds: number;
}): Operation[] {
  const query = (name: string, schema: TSchema) => ({
    name,
    in: "query" as const,
    description: String(schema.description),
    schema,
  });
  return [
    {
      method: "get",
      path: "/v1/threats",
      id: "listThreats",
      tag: "Threats",
      summary: "List threats",
      description:
        "Newest `first_seen` first, ties by id, descending. Filters combine with AND. A parameter that is unknown, empty or given twice is an error. A page past the last is empty.",
      scope: "threats:read",
      parameters: [
        query(
          "domain",
          Type.String({ description: "Only threats to this protected domain, in U-label or A-label form." }),
        ),
        query("status", choice(statuses, { description: "Only threats of this status." })),
        query("severity", choice(severities, { description: "Only threats of this severity." })),
        query("page", page("Which page.", Number.MAX_SAFE_INTEGER, 1)),
        query("per_page", page("Threats on a page.", maxPerPage, Math.min(20, maxPerPage))),
      ],
      body: {},
      answer: {
        description: "One page of threats.",
        schema: answerOf({ data: Type.Array(ref("ThreatListItem")), meta: ref("PageMeta") }),
        example: { data: [listItem], meta: { total: 1, page: 1, per_page: 20 } },
      },
      notFound: false,
    },
    {
      method: "get",
      path: "/v1/threats/{id}",
      id: "getThreat",
      tag: "Threats",
      summary: "Get one threat",
      description: "Everything that is known of a threat.",
      scope: "threats:read",
      parameters: [idParameter],
      body: {},
      answer: {
        description: "The threat.",
        schema: answerOf({ data: ref("ThreatDetail") }),
        example: { data: detail },
      },
      notFound: true,
    },
    {
      method: "patch",
      path: "/v1/threats/{id}",
      id: "updateThreat",
      tag: "Threats",
      summary: "Change a threat's status",
      description:
        "Any status may follow any other. The status that it has already is no error, changes nothing and emits no event.",
      scope: "threats:write",
      parameters: [idParameter],
      body: json(statusChangeSchema, { status: "resolved" }),
      answer: {
        description: "The threat as it stands after the change.",
        schema: answerOf({ data: ref("ThreatDetail") }),
        example: { data: { ...detail, status: "resolved" } },
      },
      notFound: true,
    },
    {
      method: "post",
      path: "/v1/threats/batch",
      id: "batchThreats",
      tag: "Threats",
      summary: "Change the status of several threats",
      description:
        "One transaction: all of it happens or nothing. An unknown id does not fail the call. Each threat whose status changed emits the same events as a single change.",
      scope: "threats:write",
      parameters: [],
      body: json(batchSchema(maxBatchIds), { ids: [exampleId], action: "resolve" }),
      answer: {
        description: "One item for each distinct id, in the order of first appearance.",
        schema: answerOf({ data: Type.Array(ref("BatchItem")), meta: ref("BatchMeta") }),
        example: {
          data: [{ id: exampleId, outcome: "updated", status: "resolved" }],
          meta: { updated: 1, unchanged: 0, not_found: 0, forbidden: 0 },
        },
      },
      notFound: false,
    },
    {
      method: "post",
      path: "/v1/candidates",
      id: "submitCandidates",
      tag: "Candidates",
      summary: "Hand in names to be checked",
      description:
        "Names that imitate a protected domain become threats. Handing a name in again makes no second threat. As `text/plain`, one name a line.",
      scope: "candidates:write",
      parameters: [],
      body: {
        ...json(candidatesSchema, { domains: ["examp1e-bank.com", "weather.example"] }),
        "text/plain": { schema: Type.String(), example: "examp1e-bank.com\nweather.example\n" },
      },
      answer: {
        description: "The names that matched; the others are only counted.",
        schema: answerOf({ data: Type.Array(ref("CandidateResult")), meta: ref("CandidateMeta") }),
        example: {
          data: [
            {
              domain: "examp1e-bank.com",
              matches: [
                {
                  threat_id: exampleId,
                  protected_domain: "example-bank.com",
                  type: "homograph",
                  similarity: 0.9688,
                  outcome: "created",
                },
              ],
            },
          ],
          meta: { received: 2, invalid: 0, matched: 1, created: 1 },
        },
      },
      notFound: false,
    },
  ];
}

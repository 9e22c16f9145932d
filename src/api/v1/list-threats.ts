import { Type } from "@sinclair/typebox";
import { requireDomain } from "../../access/keys/permissions.ts";
import { normalizeName } from "../../detection/names/name.ts";
import { choiceParameter, integerParameter, type QueryParameter } from "../../http/query.ts";
import { badRequest } from "../../lib/errors.ts";
import { exampleListItem, threatListItem, toListObject } from "../../threats/api-object.ts";
import { closed, count } from "../../vocabulary/schemas.ts";
import { severities, statuses } from "../../vocabulary/threats.ts";
import { operation, type ApiLimits } from "./services.ts";

const perPageDefault = 20;

const pageMeta = Type.Object(
  {
    total: count("Exact number of threats that match the filters."),
    page: Type.Integer({ minimum: 1, description: "Number of this page." }),
    per_page: Type.Integer({ minimum: 1, description: "Maximum number of threats on a page." }),
  },
  { ...closed, $id: "PageMeta" },
);

/** A protected domain in U-label or A-label form, normalized to the latter. */
const domainParameter: QueryParameter<string | undefined> = {
  schema: Type.String({ description: "Only threats to this protected domain, in U-label or A-label form." }),
  allowed: "a domain name, such as example.com",
  absent: undefined,
  read(_name, text) {
    const result = normalizeName(text);
    if ("name" in result) return result.name;
    // No single label is protected, so it matches nothing, like any other unknown domain.
    const label = normalizeName(`${text}.invalid`);
    if (!text.includes(".") && "name" in label) return label.name.slice(0, -".invalid".length);
    throw badRequest(`domain is not a domain name: it ${result.error}.`);
  },
};

export const listThreats = ({ maxPerPage }: Pick<ApiLimits, "maxPerPage">) =>
  operation({
    method: "GET",
    path: "/v1/threats",
    id: "listThreats",
    tag: "Threats",
    scope: "threats:read",
    summary: "List threats",
    description:
      "Sorted by `first_seen`, newest first, then by ID, descending. Filters combine with AND. An unknown, empty or repeated parameter is an error. A page past the last one is empty.",
    query: {
      domain: domainParameter,
      status: choiceParameter(statuses, "Only threats with this status."),
      severity: choiceParameter(severities, "Only threats with this severity."),
      page: integerParameter({ description: "Page number.", maximum: Number.MAX_SAFE_INTEGER, absent: 1 }),
      per_page: integerParameter({
        description: "Maximum number of threats on a page.",
        maximum: maxPerPage,
        absent: Math.min(perPageDefault, maxPerPage),
      }),
    },
    response: {
      description: "One page of threats.",
      schema: Type.Object({ data: Type.Array(threatListItem), meta: pageMeta }, closed),
      example: { data: [exampleListItem], meta: { total: 1, page: 1, per_page: 20 } },
    },
    notFound: false,
    run(
      { threats, publicUrl },
      { caller: key, query: { domain, status, severity, page, per_page: perPage } },
    ) {
      if (domain !== undefined) requireDomain(key, domain);
      const filter = { protectedDomain: domain, status, severity, within: key.domains };
      const { threats: found, total } = threats.list(filter, { page, perPage });
      const address = publicUrl();
      return {
        data: found.map((threat) => toListObject(threat, address)),
        meta: { total, page, per_page: perPage },
      };
    },
  });

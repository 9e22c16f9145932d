import { Type } from "@sinclair/typebox";
import { JsonText, Later } from "../../http/operation.ts";
import { integerParameter } from "../../http/query.ts";
import { newestFirst, tableFilterOf } from "../../../threats/index/filter.ts";
import { exampleListItem, threatListItem, toListObject } from "../../../threats/threats/api-object.ts";
import { closed, count } from "../../../platform/vocabulary/schemas.ts";
import { operation, type ApiLimits } from "./services.ts";
import { filterOf, filterParameters } from "./threat-filter.ts";

const perPageDefault = 20;

const pageMeta = Type.Object(
  {
    total: count("Exact number of threats that match the filters."),
    page: Type.Integer({ minimum: 1, description: "Number of this page." }),
    per_page: Type.Integer({ minimum: 1, description: "Maximum number of threats on a page." }),
  },
  { ...closed, $id: "PageMeta" },
);

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
      ...filterParameters,
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
    run({ threats, threatIndex, publicUrl }, { caller: key, query: { page, per_page: perPage, ...given } }) {
      const filter = filterOf(given, key);
      const tableFilter = tableFilterOf(filter);
      const metaOf = (total: number) => ({ total, page, per_page: perPage });
      if (tableFilter !== undefined) {
        const { texts, total } = threats.listTexts(tableFilter, { page, perPage }, publicUrl());
        return new JsonText(`{"data":[${texts.join(",")}],"meta":${JSON.stringify(metaOf(total))}}`);
      }
      return new Later(async () => {
        const index = threatIndex();
        await index.prepare();
        const { threats: found, total } = await index.search(filter, newestFirst, { page, perPage });
        const address = publicUrl();
        return { data: found.map((threat) => toListObject(threat, address)), meta: metaOf(total) };
      });
    },
  });

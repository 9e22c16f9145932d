import { JsonText, Later } from "../../http/operation.ts";
import { integerParameter } from "../../http/query.ts";
import { newestFirst, tableFilterOf } from "../../../threats/index/filter.ts";
import { toListObject } from "../../../threats/threats/api-object.ts";
import { operation, type ApiLimits } from "./services.ts";
import { described } from "./described.ts";
import definition from "./list-threats.json" with { type: "json" };
import { filterOf, filterParameters } from "./threat-filter.ts";

const perPageDefault = 20;

export const listThreats = ({ maxPerPage }: Pick<ApiLimits, "maxPerPage">) =>
  operation({
    ...described(definition),
    method: "GET",
    path: "/v1/threats",
    scope: "threats:read",
    query: {
      ...filterParameters,
      page: integerParameter({ description: "Page number.", maximum: Number.MAX_SAFE_INTEGER, absent: 1 }),
      per_page: integerParameter({
        description: "Maximum number of threats on a page.",
        maximum: maxPerPage,
        absent: Math.min(perPageDefault, maxPerPage),
      }),
    },
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

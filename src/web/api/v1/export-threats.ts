import { Download } from "../../http/download.ts";
import { Later } from "../../http/operation.ts";
import { ownerOf } from "../../http/pipeline.ts";
import { requiredChoiceParameter } from "../../http/query.ts";
import { exportFormats } from "../../../response/outputs/exports/formats.ts";
import { operation } from "./services.ts";
import { described } from "./described.ts";
import definition from "./export-threats.json" with { type: "json" };
import { filterOf, filterParameters } from "./threat-filter.ts";

export const exportThreats = operation({
  ...described(definition),
  method: "GET",
  path: "/v1/threats/export",
  scope: "threats:read",
  query: {
    format: requiredChoiceParameter(
      exportFormats,
      "`csv`: RFC 4180 with a header. `jsonl`: one object of the list per line. `stix`: a STIX 2.1 bundle.",
    ),
    ...filterParameters,
  },
  run({ exports, publicUrl }, { caller: key, query: { format, ...given } }) {
    const filter = filterOf(given, key);
    return new Later(
      async () =>
        new Download(await exports.open(format, filter, { publicUrl: publicUrl(), owner: ownerOf(key) })),
    );
  },
});

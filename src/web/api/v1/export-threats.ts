import { Type } from "@sinclair/typebox";
import { Download } from "../../http/download.ts";
import { Later } from "../../http/operation.ts";
import { ownerOf } from "../../http/pipeline.ts";
import { requiredChoiceParameter } from "../../http/query.ts";
import { csvHeader } from "../../../response/outputs/exports/csv.ts";
import { exportFormats } from "../../../response/outputs/exports/formats.ts";
import { operation } from "./services.ts";
import { filterOf, filterParameters } from "./threat-filter.ts";

export const exportThreats = operation({
  method: "GET",
  path: "/v1/threats/export",
  id: "exportThreats",
  tag: "Threats",
  scope: "threats:read",
  summary: "Export threats",
  description:
    "Returns all threats that match when the export begins, once each, by descending ID, as a file that is created while it is sent. A threat shows its state at the time at which it is sent. Counts as one request. At most two exports of a key, and eight in all, run at the same time; another returns 429. An export whose reader takes nothing for 30 seconds ends if another one needs its place. A connection that ends before the file does is an error: request the export again.",
  query: {
    format: requiredChoiceParameter(
      exportFormats,
      "`csv`: RFC 4180 with a header. `jsonl`: one object of the list per line. `stix`: a STIX 2.1 bundle.",
    ),
    ...filterParameters,
  },
  response: {
    description: "The file.",
    files: {
      "text/csv": {
        schema: Type.String({
          description: 'Text that a spreadsheet could take for a formula begins with "\'".',
        }),
        example: csvHeader,
      },
      "application/x-ndjson": {
        schema: Type.String({ description: "Objects like those of the list, one per line." }),
      },
      "application/stix+json": {
        schema: Type.Object(
          {
            type: Type.Literal("bundle"),
            id: Type.String(),
            objects: Type.Array(Type.Object({}, { additionalProperties: true })),
          },
          { description: "STIX 2.1 bundle: an identity, and an indicator for each threat." },
        ),
      },
    },
  },
  notFound: false,
  run({ exports, publicUrl }, { caller: key, query: { format, ...given } }) {
    const filter = filterOf(given, key);
    return new Later(
      async () =>
        new Download(await exports.open(format, filter, { publicUrl: publicUrl(), owner: ownerOf(key) })),
    );
  },
});

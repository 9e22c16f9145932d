import { downloadStream, unknownLength } from "../../../http/download.ts";
import { badRequest } from "../../../../platform/lib/errors.ts";
import { exportFormats } from "../../../../response/outputs/exports/formats.ts";
import { download, type PageResult } from "../../kit/page-result.ts";
import { ownerOf } from "../../shell/request.ts";
import type { Context } from "../../shell/router.ts";
import { readListRequest } from "../../threat-kit/filters.ts";

/** Sends all threats of a view, in the order in which they were recorded. */
export async function exportView(context: Context<"exports" | "publicUrl">): Promise<PageResult> {
  const { services, request, query, account, now } = context;
  const { exports, publicUrl } = services;
  const format = exportFormats.find((one) => one === query.get("format"));
  if (format === undefined)
    throw badRequest(`"format" in the URL must be one of ${exportFormats.join(", ")}`);
  const { filter } = readListRequest(query, { account, now });
  // A response to HEAD has no body that would be read to its end.
  if (request.method === "HEAD") return new Response(null, { headers: unknownLength });
  const file = await exports.open(format, filter, { publicUrl: publicUrl(), owner: ownerOf(account) });
  return download(file.fileName, file.type, downloadStream(file, request.signal));
}

import { badRequest } from "../../../../platform/lib/errors.ts";
import { statuses } from "../../../../platform/vocabulary/threats.ts";
import { exportFormats } from "../../../../response/outputs/exports/formats.ts";
import { downloadStream, unknownLength } from "../../../http/download.ts";
import { parseWholeNumber } from "../../kit/fields.ts";
import { type PageResult, download, fragment } from "../../kit/page-result.ts";
import { ownPath } from "../../shell/visitors.ts";
import type { Context } from "../../shell/router.ts";
import { decidedFlash, decisionOptions, leavesView, endDecision } from "../../threat-kit/decisions.tsx";
import { isGrouped, listPath, readListRequest } from "../../threat-kit/filters.ts";
import { ownerOf } from "../../shell/request.ts";
import { Fresh } from "../../threat-kit/threat-marks.tsx";
import { perPage } from "./list.tsx";
import { nothingSelected, selectedIds } from "./bulk.tsx";

/** Applies a decision to the selected threats, or to all that match the filters. */
export async function triageThreats(
  context: Context<"preferences" | "threats" | "threatIndex">,
): Promise<PageResult> {
  const { services, request, form, by, now } = context;
  const status = statuses.find((one) => one === form.get("status"));
  if (status === undefined) throw badRequest("choose a decision");
  const given = new URLSearchParams(form.get("query") ?? "");
  const list = readListRequest(given, context);
  const { filter, order, query } = list;
  const search = services.threatIndex();
  const ids = await selectedIds(search, form, list);
  const { decisions } = services.threats;
  const result = await decisions.change(ids, status, decisionOptions(form, by));
  const place = form.has("back") ? ownPath(form.get("back")) : await placeAfter();
  if (ids.length === 0) return endDecision(request, { to: place, flash: nothingSelected(form) });
  const flash = decidedFlash({ result, status, back: place, now });
  const left = result.unchanged > 0 && leavesView(filter, status);
  return endDecision(request, { to: place, flash, batch: result.batch, left });

  /** The decision may have emptied the last pages of the view. */
  async function placeAfter(): Promise<string> {
    const page = parseWholeNumber(given.get("page")) ?? 1;
    if (page <= 1) return listPath(query);
    const rows = isGrouped(list, context)
      ? (await search.searchGroups(filter, order, { page: 1, perPage: 1 })).groupTotal
      : await search.count(filter);
    const shown = Math.min(page, Math.ceil(rows / perPage));
    return listPath(query, { page: shown > 1 ? String(shown) : undefined });
  }
}

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

/** Sends the fragment with the number of new threats in a view. */
export async function showNewThreats({
  services,
  query: given,
  account,
  now,
}: Context<"threatIndex">): Promise<PageResult> {
  const { filter, query } = readListRequest(given, { account, now });
  const since = parseWholeNumber(given.get("since"));
  if (since === undefined) throw badRequest('"since" in the URL must be a number');
  const count = await services.threatIndex().newerThan(filter, since);
  return fragment(<Fresh query={query} since={since} count={count} />);
}

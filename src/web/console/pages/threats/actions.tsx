import { badRequest } from "../../../../platform/lib/errors.ts";
import { statuses } from "../../../../platform/vocabulary/threats.ts";
import { parseWholeNumber } from "../../kit/fields.ts";
import type { PageResult } from "../../kit/page-result.ts";
import { ownPath } from "../../shell/visitors.ts";
import type { Context } from "../../shell/router.ts";
import { decidedFlash, decisionOptions, leavesView } from "../../threat-kit/decisions.ts";
import { isGrouped, listPath, readListRequest } from "../../threat-kit/filters.ts";
import { endDecision } from "../../threat-kit/toast.tsx";
import { perPage } from "./list.tsx";
import { nothingSelected, selectedIds } from "./selection.ts";

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

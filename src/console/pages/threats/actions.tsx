import { badRequest } from "../../../lib/errors.ts";
import { counted } from "../../../lib/wording.ts";
import { triageThreatsMax } from "../../../threats/triage/triage.ts";
import { statuses } from "../../../vocabulary/threats.ts";
import { parseWholeNumber } from "../../kit/fields.ts";
import { inWords } from "../../kit/labels.ts";
import type { PageResult } from "../../kit/page-result.ts";
import { ownPath } from "../../shell/visitors.ts";
import type { Context } from "../../shell/router.ts";
import { decidedFlash, leavesView, undoFlash } from "../../threat-kit/decisions.ts";
import { listPath, readListRequest } from "../../threat-kit/filters.ts";
import { endDecision } from "../../threat-kit/toast.tsx";
import { perPage } from "./list.tsx";

/** Applies a decision to the selected threats, or to all that match the filters. */
export async function triageThreats(context: Context<"threats" | "threatIndex">): Promise<PageResult> {
  const { services, request, form, by, write } = context;
  const status = statuses.find((one) => one === form.get("status"));
  if (status === undefined) throw badRequest("choose a decision");
  const given = new URLSearchParams(form.get("query") ?? "");
  const { filter, order, query } = readListRequest(given, context);
  const search = services.threatIndex();
  const ids =
    form.get("all") === "yes"
      ? await search.ids(filter, order, { max: triageThreatsMax, lastSeq: lastSeqOf(form) })
      : form.getAll("id");
  const { batch, changed, unchanged } = await write(() =>
    services.threats.triage.change(ids, status, { by }),
  );
  const place = await placeAfter();
  if (batch === undefined) {
    const text =
      ids.length === 0
        ? "No threats selected."
        : unchanged === 0
          ? "No changes: the selected threats no longer exist."
          : `No changes: ${counted(unchanged, "threat was", "threats were")} already ${inWords(status)}.`;
    const left = unchanged > 0 && leavesView(filter, status);
    return endDecision(request, { to: place, flash: { tone: "warning", text }, left });
  }
  const flash = decidedFlash({ batch, changed, status, back: place });
  return endDecision(request, { to: place, flash, batch });

  /** The decision may have emptied the last pages of the view. */
  async function placeAfter(): Promise<string> {
    const page = parseWholeNumber(given.get("page")) ?? 1;
    if (page <= 1) return listPath(query);
    const shown = Math.min(page, Math.ceil((await search.count(filter)) / perPage));
    return listPath(query, { page: shown > 1 ? String(shown) : undefined });
  }
}

function lastSeqOf(form: URLSearchParams): number {
  const seq = parseWholeNumber(form.get("last_seq"));
  if (seq === undefined) throw badRequest("the list is out of date; reload it");
  return seq;
}

/** Undoes a decision, of one threat or of several; `latest` is the last one of the visitor. */
export async function undoTriage({
  services,
  request,
  form,
  by,
  write,
}: Context<"threats">): Promise<PageResult> {
  const { triage } = services.threats;
  const given = form.get("act");
  const to = ownPath(form.get("back"));
  const batch = given === "latest" ? triage.latest(by) : (parseWholeNumber(given) ?? 0);
  if (batch === undefined)
    return endDecision(request, { to, flash: { tone: "warning", text: "You have no decision to undo." } });
  const outcome = await write(() => triage.undo(batch, { by }));
  return endDecision(request, {
    to,
    flash: undoFlash(outcome),
    batch: outcome.outcome === "undone" ? batch : undefined,
  });
}

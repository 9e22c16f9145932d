import { badRequest } from "../../../lib/errors.ts";
import { counted } from "../../../lib/wording.ts";
import { triageThreatsMax } from "../../../threats/triage/triage.ts";
import { statuses } from "../../../vocabulary/threats.ts";
import { parseWholeNumber } from "../../kit/fields.ts";
import { inWords } from "../../kit/labels.ts";
import { redirect, type PageResult } from "../../kit/page-result.ts";
import type { Context } from "../../shell/router.ts";
import { undoFlash } from "../../threat-kit/decisions.ts";
import { listPath, readListRequest } from "../../threat-kit/filters.ts";

/** Applies a decision to the selected threats, or to all that match the filters. */
export async function triageThreats({
  services,
  form,
  by,
  write,
}: Context<"threats" | "threatIndex">): Promise<PageResult> {
  const status = statuses.find((one) => one === form.get("status"));
  if (status === undefined) throw badRequest("choose a decision");
  const { filter, order, query } = readListRequest(new URLSearchParams(form.get("query") ?? ""));
  const search = services.threatIndex();
  const ids =
    form.get("all") === "yes"
      ? await search.ids(filter, order, { max: triageThreatsMax, lastSeq: lastSeqOf(form) })
      : form.getAll("id");
  if (ids.length === 0) return redirect(listPath(query), { tone: "warning", text: "No threats selected." });
  const { batch, changed, unchanged } = await write(() =>
    services.threats.triage.change(ids, status, { by }),
  );
  if (batch === undefined) {
    const text = `No changes: ${counted(unchanged, "threat was", "threats were")} already ${inWords(status)}.`;
    return redirect(listPath(query), { tone: "warning", text });
  }
  // Keyboard users stay at the same row, which now shows the next threat.
  const at = /^\d{1,2}$/.test(form.get("at") ?? "") && changed === 1 ? `#row-${form.get("at")}` : "";
  return redirect(`${listPath(query, { done: String(batch) })}${at}`);
}

function lastSeqOf(form: URLSearchParams): number {
  const seq = parseWholeNumber(form.get("last_seq"));
  if (seq === undefined) throw badRequest("the list is out of date; reload it");
  return seq;
}

export async function undoTriage({ services, form, by, write }: Context<"threats">): Promise<PageResult> {
  const batch = parseWholeNumber(form.get("act")) ?? 0;
  const { query } = readListRequest(new URLSearchParams(form.get("query") ?? ""));
  return redirect(listPath(query), undoFlash(await write(() => services.threats.triage.undo(batch, { by }))));
}

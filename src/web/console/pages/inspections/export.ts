import { downloadStream, type FileSource } from "../../../http/download.ts";
import type { Inspection, Inspections } from "../../../../facts/inspection/inspections.ts";
import { optionalIsoTime, toIsoTime } from "../../../../platform/lib/clock.ts";
import { csvCell } from "../../../../response/outputs/exports/csv.ts";
import { download, type PageResult } from "../../kit/page-result.ts";
import type { Context } from "../../shell/router.ts";
import { inspectionFilterIn } from "./request-query.ts";
import { requesterOf } from "./requester.ts";
import { resultOf } from "./outcome.tsx";

/** Number of inspections in a piece of the file: a few milliseconds of work. */
const perPiece = 50;

const columns: readonly [name: string, read: (inspection: Inspection) => string | number | null][] = [
  ["address", ({ address }) => address],
  ["domain", ({ host }) => host],
  ["result", resultOf],
  ["protected_domain", ({ protectedDomain }) => protectedDomain],
  ["score", ({ score }) => score],
  ["reason", ({ reason }) => reason],
  ["final_url", ({ page }) => page?.finalUrl ?? null],
  ["title", ({ page }) => page?.title ?? null],
  ["threat_id", ({ threatId }) => threatId],
  ["requested_by", requesterOf],
  ["requested_at", ({ requestedAt }) => toIsoTime(requestedAt)],
  ["finished_at", ({ finishedAt }) => optionalIsoTime(finishedAt)],
  ["id", ({ id }) => id],
];

/** Sends the inspections of a list, the newest request first, as CSV (RFC 4180). */
export function exportInspections({ services, query, request }: Context<"inspections">): PageResult {
  // A response to HEAD has no body that would be read to its end.
  if (request.method === "HEAD") return new Response(null);
  const { inspections } = services;
  const pieces = piecesOf(inspections, inspections.ids(inspectionFilterIn(query)));
  const file: FileSource = {
    fileName: "inspections.csv",
    type: "text/csv; charset=utf-8; header=present",
    next: async () => (await pieces.next()).value ?? undefined,
    close: () => void pieces.return(),
  };
  return download(file.fileName, file.type, downloadStream(file, request.signal));
}

async function* piecesOf(
  inspections: Pick<Inspections, "get">,
  ids: readonly string[],
): AsyncGenerator<string, void> {
  yield lineOf(columns.map(([name]) => name));
  for (let done = 0; done < ids.length; done += perPiece) {
    // Other requests are served between the pieces.
    await new Promise((resolve) => setImmediate(resolve));
    const piece = ids.slice(done, done + perPiece).flatMap((id) => inspections.get(id) ?? []);
    yield piece.map((one) => lineOf(columns.map(([, read]) => csvCell(read(one))))).join("");
  }
}

function lineOf(cells: readonly string[]): string {
  return `${cells.join(",")}\r\n`;
}

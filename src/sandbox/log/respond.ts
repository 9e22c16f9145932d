import { badRequest, notFound } from "../../platform/lib/errors.ts";
import { pathOf } from "../../platform/lib/request-path.ts";
import type { SandboxLog } from "./certificate-log.ts";

/** Path below which the sandbox's certificate log responds as RFC 6962 requires, without proofs. */
export const logPath = "/sandbox/log/ct/v1/";

/** @throws PublicError `bad_request`, `not_found` */
export function respondAsLog(log: SandboxLog, request: Request): object {
  const name = pathOf(request.url).slice(logPath.length);
  if (name === "get-sth") return log.signedTreeHead();
  if (name !== "get-entries") throw notFound("The sandbox's log serves get-sth and get-entries.");
  const { searchParams } = new URL(request.url);
  const [start, end] = ["start", "end"].map((key) => indexOf(searchParams.get(key)));
  if (start === undefined || end === undefined || start > end)
    throw badRequest('Send "start" and "end" as indexes of entries, such as ?start=0&end=31.');
  return log.entries(start, end);
}

function indexOf(text: string | null): number | undefined {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

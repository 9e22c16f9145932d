import { toPlainTime, type Instant } from "../../../platform/lib/clock.ts";
import { spanText } from "../../../platform/lib/durations.ts";
import { counted } from "../../../platform/lib/wording.ts";
import type { SourceCheck } from "../source.ts";
import type { LogListStatus } from "./followed-logs.ts";
import type { CertificateLogStatus } from "./status.ts";

/**
 * Cost of a log that grows, on average over all logs: about 4,000 entries per second in 40 logs, of 0.7 KB in compressed
 * data tiles and 2.2 KB in compressed get-entries responses (measured in 2026 on entries of Let's Encrypt, Google and
 * Cloudflare). Half-year shards that have not begun or have ended grow hardly.
 */
const entriesPerSecondOfLog = 100;
const bytesOfEntry = { static: 700, rfc6962: 2_200, names: 25 } as const;
/** The embedded list is used until a newer one is loaded; an old one lacks new logs. */
const listAgeMsMax = 90 * 86_400_000;

/** Describes what is followed and what it costs. */
export function checkCertificateLogs(
  logs: readonly CertificateLogStatus[],
  list: LogListStatus,
  {
    contact,
    fileProblem,
    namesOnly,
    now,
  }: {
    contact: string | null;
    /** Why the file with the log list cannot be used; null: it can, or the list is not in a file. */
    fileProblem: string | null;
    namesOnly: boolean;
    now: Instant;
  },
): SourceCheck {
  const warnings: string[] = [];
  if (contact === null)
    warnings.push(
      "set certificate_logs.contact to an email address or URL: operators of logs limit clients without one",
    );
  if (fileProblem !== null) warnings.push(`certificate_logs.log_list: ${fileProblem}`);
  else if (list.isNeeded && list.publishedAt === null && list.problem === null)
    warnings.push("the log list is not loaded yet; 'phishwatch serve' loads it");
  else if (logs.length === 0) warnings.push("no log is followed");
  if (list.problem !== null) warnings.push(list.problem);
  const ageMs = now - (list.publishedAt ?? now);
  if (ageMs > listAgeMsMax) warnings.push(describeAge(list, ageMs));
  const failing = logs.filter(({ state }) => state === "failing" || state === "mismatch");
  for (const { description, error } of failing.slice(0, failingNamedMax))
    warnings.push(`${description}: ${error?.text ?? "cannot be read"}`);
  const detail = [describeLogs(logs, list), describeCost(logs, { namesOnly }), ...warnings].join("; ");
  return { level: warnings.length === 0 ? "ok" : "warning", detail };
}

const failingNamedMax = 5;

function describeAge({ fetchedAt }: LogListStatus, ageMs: number): string {
  return fetchedAt === null
    ? `the copy of the log list in the executable is ${spanText(ageMs)} old; 'phishwatch serve' loads the present one`
    : `the log list is ${spanText(ageMs)} old, so newer logs are missing`;
}

function describeLogs(logs: readonly CertificateLogStatus[], { publishedAt }: LogListStatus): string {
  const operators = new Set(logs.map(({ operator }) => operator)).size;
  const published = publishedAt === null ? "" : `, log list of ${toPlainTime(publishedAt).slice(0, 10)}`;
  return `${counted(logs.length, "log")} of ${counted(operators, "operator")}${published}`;
}

/** Estimates the bandwidth, from what was measured or, before that, from the number of logs. */
function describeCost(logs: readonly CertificateLogStatus[], { namesOnly }: { namesOnly: boolean }): string {
  const measured = logs.reduce((sum, { bytesPerSecond }) => sum + bytesPerSecond, 0);
  const estimated = logs.reduce(
    (sum, { protocol }) =>
      sum + entriesPerSecondOfLog * bytesOfEntry[namesOnly && protocol === "static" ? "names" : protocol],
    0,
  );
  const megabits = (bytes: number) => `${((bytes * 8) / 1e6).toFixed(bytes < 1e6 ? 1 : 0)} Mbit/s`;
  const now = measured > 0 ? `, ${megabits(measured)} now` : "";
  return `bandwidth: about ${megabits(estimated)} for logs that all grow${now}`;
}

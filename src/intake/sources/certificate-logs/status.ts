/** Derives the status of the certificate logs from the stored rows and the present state. */
import { type Instant, toPlainTime } from "../../../platform/lib/clock.ts";
import { spanText } from "../../../platform/lib/durations.ts";
import { sumOf } from "../../../platform/lib/sums.ts";
import { counted, grouped } from "../../../platform/lib/wording.ts";
import type { SourceStatus, SourceCheck } from "../source.ts";
import type { CertificateLogFailure, CertificateLogRow } from "./tables.ts";
import type { LogListStatus } from "./followed-logs.ts";
import { describe, noCounts, type Counts, type DescribedLog } from "./log-store.ts";

/**
 * - `waiting`: nothing was read yet.
 * - `following`: everything is read that the log has published, or is being read.
 * - `failing`: the log could not be read last; it is tried again.
 * - `mismatch`: the log contradicts what it signed; it is read again later, from the last verified position.
 * - `complete`: the log grows no more, and all of it is read.
 */
export type LogState = "waiting" | "following" | "failing" | "mismatch" | "complete" | "paused";

export type CertificateLogStatus = ReturnType<typeof statusOfLog>;

/** State of a log that no row holds, while the server runs. */
export interface LiveLog {
  head: { size: number; at: Instant } | null;
  isComplete: boolean;
  /** The last failure; null after a success. */
  failure: string | null;
}

function countsOf({ entries, names, matched, created, skipped, malformed, bytes, errors }: Counts): Counts {
  return { entries, names, matched, created, skipped, malformed, bytes, errors };
}

/** Averages forget with this time constant. */
const averageMs = 60_000;

/** Returns the average per second after `count` more arrived, `elapsedMs` after the ones before. */
export function averageAfter(average: number, count: number, elapsedMs: number): number {
  const ms = Math.max(1, elapsedMs);
  const weight = Math.exp(-ms / averageMs);
  return average * weight + ((count * 1_000) / ms) * (1 - weight);
}

/**
 * @param row undefined: nothing was ever read
 * @param options.failure last failure of a log without a row
 */
export function statusOfLog(
  log: DescribedLog,
  row: CertificateLogRow | undefined,
  options: {
    failure: CertificateLogFailure | undefined;
    isPaused: boolean;
    live: LiveLog | undefined;
    now: Instant;
  },
) {
  const { failure, isPaused, live, now } = options;
  const size = Math.max(row?.headSize ?? 0, live?.head?.size ?? 0);
  const lagEntries = row === undefined ? 0 : Math.max(0, size - row.position);
  const sinceMs = row === undefined ? 0 : Math.max(0, now - row.progressAt);
  return {
    ...describe(log),
    state: isPaused ? "paused" : stateOf(row, live, failure),
    /** Index of the next entry; null: the log was never followed. */
    position: row?.position ?? null,
    /** Number of entries that the log has published; null if unknown. */
    size: row === undefined && (live?.head ?? null) === null ? null : size,
    lagEntries,
    /** Time since everything was read; 0 while nothing is left to read. */
    lagMs: lagEntries === 0 ? 0 : Math.max(0, now - (row?.backlogSince ?? row?.headAt ?? now)),
    /** Average over about a minute, as for bytes. */
    entriesPerSecond: averageAfter(row?.entriesPerSecond ?? 0, 0, sinceMs),
    bytesPerSecond: averageAfter(row?.bytesPerSecond ?? 0, 0, sinceMs),
    /** Whether what is read is compared with what the log signed. False for names tiles. */
    isVerified: row !== undefined && row.range !== null,
    error: errorOf(row ?? failure),
    /** Why what the log serves contradicts what it signed; null if it does not. */
    mismatch: row?.mismatch ?? null,
    ...countsOf(row ?? { ...noCounts, errors: failure?.errors ?? 0 }),
    startedAt: row?.startedAt ?? null,
    progressAt: row?.progressAt ?? null,
  };
}

function errorOf(failed: { error: string | null; errorAt: Instant | null } | undefined) {
  const { error = null, errorAt = null } = failed ?? {};
  return error === null || errorAt === null ? null : { text: error, at: errorAt };
}

/** In a command, which knows only what is stored, the last error counts while there was no success after it. */
function stateOf(
  row: CertificateLogRow | undefined,
  live: LiveLog | undefined,
  failure: CertificateLogFailure | undefined,
): LogState {
  if ((row?.mismatch ?? null) !== null) return "mismatch";
  if (live?.isComplete === true) return "complete";
  if (live === undefined ? isFailingIn(row, failure) : live.failure !== null) return "failing";
  return row === undefined ? "waiting" : "following";
}

function isFailingIn(
  row: CertificateLogRow | undefined,
  failure: CertificateLogFailure | undefined,
): boolean {
  return row === undefined ? failure !== undefined : (row.errorAt ?? 0) > row.progressAt;
}

const logsNamedMax = 3;
/** Averages fade slowly after the last entry. */
const readingMin = 0.1;

/** Sums up all logs as one source. */
export function sourceStatusOf(
  logs: readonly CertificateLogStatus[],
  { name, listProblem, isPaused }: { name: string; listProblem: string | null; isPaused: boolean },
): SourceStatus {
  const newest = logs.reduce<CertificateLogStatus | undefined>(
    (a, b) => ((b.progressAt ?? 0) > (a?.progressAt ?? 0) ? b : a),
    undefined,
  );
  const isFailing = (log: CertificateLogStatus) => log.state === "failing" || log.state === "mismatch";
  const failing = logs.filter(isFailing);
  const { entries, malformed, names } = sumOf(logs, "entries", "malformed", "names");
  const isReading = logs.some((log) => log.entriesPerSecond >= readingMin);
  const isUnavailable = logs.length > 0 && failing.length === logs.length;
  const active = isUnavailable ? "unavailable" : isReading ? "reading" : "watching";
  return {
    name,
    location: `${counted(logs.length, "log")} of ${counted(new Set(logs.map(({ operator }) => operator)).size, "operator")}`,
    state: isPaused ? "paused" : newest === undefined && !isUnavailable ? "waiting" : active,
    problem:
      [failing.length === 0 ? null : describeFailing(failing, logs.length), listProblem]
        .filter((problem) => problem !== null)
        .join("; ") || null,
    overdue: null,
    latest: newest === undefined ? null : { name: newest.description, at: newest.progressAt ?? 0 },
    lastReadAt: newest?.progressAt ?? null,
    amounts: [
      { count: entries, unit: "certificate" },
      { count: names, unit: "name" },
    ],
    invalid: malformed,
    ...sumOf(logs, "matched", "created"),
  };
}

function describeFailing(failing: readonly CertificateLogStatus[], total: number): string {
  const [first] = failing;
  const names = failing.slice(0, logsNamedMax).map(({ description }) => description);
  const more = failing.length > logsNamedMax ? ` and ${grouped(failing.length - logsNamedMax)} more` : "";
  const reason = first?.mismatch ?? first?.error?.text ?? "unknown";
  return `${failing.length} of ${counted(total, "log")} cannot be read: ${names.join(", ")}${more} (${reason})`;
}

/** Describes how far behind a log is: `0`, `1,204 (3 min)`. */
export function lagText({ lagEntries, lagMs }: Pick<CertificateLogStatus, "lagEntries" | "lagMs">): string {
  return lagEntries === 0 ? "0" : `${grouped(lagEntries)} (${spanText(lagMs)})`;
}

/** Describes the state of a log: `following`, `following (names not verified)`. */
export function stateText(options: Pick<CertificateLogStatus, "state" | "isVerified" | "position">): string {
  const { state, isVerified, position } = options;
  return isVerified || position === null ? state : `${state} (names not verified)`;
}

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
  options: {
    contact: string | null;
    /** Why the file with the log list cannot be used; null: it can, or the list is not in a file. */
    fileProblem: string | null;
    namesOnly: boolean;
    now: Instant;
  },
): SourceCheck {
  const { contact, fileProblem, namesOnly, now } = options;
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

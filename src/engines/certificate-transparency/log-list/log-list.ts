/** Log lists in the format v3 of Chrome (`log_list.json` and `all_logs_list.json`). */
import { fromIsoTime, type Instant } from "../../../platform/lib/clock.ts";
import { parseJson } from "../../../platform/lib/json.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import type { CertificateLog } from "../log.ts";
import { logIdOf } from "../trees/log-key.ts";

/** States of a log at the publisher of the list. Lists of all logs contain some without a state. */
export type LogState = "pending" | "qualified" | "usable" | "readonly" | "retired" | "rejected" | "none";

export interface LogList {
  /** "" if the list has none. */
  version: string;
  timestamp: Instant;
  logs: ListedLog[];
  /** Logs that cannot be read because of errors in the list. */
  problems: { description: string; reason: string }[];
}

export interface ListedLog {
  log: CertificateLog;
  state: LogState;
  /** Test logs and logs that no browser accepts are in lists of all logs only. */
  isProduction: boolean;
  /** The log accepts certificates that expire from `start` to before `end`. Null: all. */
  interval: { start: Instant; end: Instant } | null;
}

/** A text that is not a log list. The message is a phrase for the operator. */
export class LogListFormatError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "LogListFormatError";
  }
}

type Fields = Record<string, unknown>;

/** Maximum number of logs in a list. The list of all logs of 2025 had 181. */
const logsMax = 2_000;
const textLengthMax = 300;
const states: readonly LogState[] = ["pending", "qualified", "usable", "readonly", "retired", "rejected"];

/**
 * Parses a list. Throws `LogListFormatError` if the text as a whole is not a list; a log with errors is a problem of its
 * own. If a log is listed with both protocols, static-ct-api is preferred, because it costs the log less.
 */
export function parseLogList(text: string): LogList {
  const list = fieldsOf(parsed(text));
  const operators = list?.["operators"];
  const timestamp = fromIsoTime(textOf(list?.["log_list_timestamp"]));
  if (!Array.isArray(operators))
    throw new LogListFormatError("has no operators, so it is not a log list of format v3");
  if (timestamp === undefined) throw new LogListFormatError("has no valid log_list_timestamp");

  const logs = new Map<string, ListedLog>();
  const problems: LogList["problems"] = [];
  for (const operator of operators.map(fieldsOf)) {
    const name = textOf(operator?.["name"]);
    for (const [key, read] of [
      ["tiled_logs", readTiledLog],
      ["logs", readClassicLog],
    ] as const) {
      for (const fields of listOf(operator?.[key])) {
        if (logs.size + problems.length >= logsMax)
          throw new LogListFormatError(`has more than ${logsMax} logs`);
        const result = withKey(fields, name, read);
        if ("reason" in result) problems.push(result);
        else if (!logs.has(result.log.logId)) logs.set(result.log.logId, result);
      }
    }
  }
  return { version: textOf(list?.["version"]), timestamp, logs: [...logs.values()], problems };
}

type Address = Pick<CertificateLog, "protocol" | "url" | "origin">;

function readTiledLog(fields: Fields): Address {
  const submission = urlOf(fields["submission_url"]);
  return { protocol: "static", url: urlOf(fields["monitoring_url"]), origin: originOf(submission) };
}

function readClassicLog(fields: Fields): Address {
  const url = urlOf(fields["url"]);
  return { protocol: "rfc6962", url, origin: originOf(url) };
}

/** Returns the origin that a static log has by default: its submission URL without scheme and last slash. */
function originOf(url: string): string {
  return url.replace(/^[a-z]+:\/\//, "").replace(/\/$/, "");
}

function withKey(
  value: unknown,
  operator: string,
  readAddress: (fields: Fields) => Address,
): ListedLog | LogList["problems"][number] {
  const fields = fieldsOf(value) ?? {};
  const description = textOf(fields["description"]);
  try {
    const [logId, key] = [textOf(fields["log_id"]), textOf(fields["key"])];
    if (logIdOf(key) !== logId) return { description, reason: "log_id is not the hash of the key" };
    const state = stateOf(fields["state"]);
    const address = readAddress(fields);
    const log = {
      logId,
      description,
      operator,
      key,
      ...address,
      isExtra: false,
      finalSize: finalSizeOf(fieldsOf(fields["state"])?.["readonly"]),
    };
    const isProduction = ["", "prod"].includes(textOf(fields["log_type"]));
    return { log, state, isProduction, interval: intervalOf(fields["temporal_interval"]) };
  } catch (error) {
    return { description, reason: (error as Error).message };
  }
}

function stateOf(value: unknown): LogState {
  const given = Object.keys(fieldsOf(value) ?? {});
  return states.find((state) => given.includes(state)) ?? "none";
}

function finalSizeOf(readonly: unknown): number | null {
  const size = fieldsOf(fieldsOf(readonly)?.["final_tree_head"])?.["tree_size"];
  return typeof size === "number" && Number.isSafeInteger(size) && size >= 0 ? size : null;
}

function intervalOf(value: unknown): ListedLog["interval"] {
  const fields = fieldsOf(value);
  if (fields === undefined) return null;
  const start = fromIsoTime(textOf(fields["start_inclusive"]));
  const end = fromIsoTime(textOf(fields["end_exclusive"]));
  if (start === undefined || end === undefined)
    throw new LogListFormatError("temporal_interval is not valid");
  return { start, end };
}

/** Returns the address with a slash at its end. */
function urlOf(value: unknown): string {
  const text = textOf(value);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "https:" || url.search !== "" || url.hash !== "" || url.username !== "") {
    throw new LogListFormatError(`"${visible(text, 100)}" is not an https:// URL`);
  }
  return url.href.endsWith("/") ? url.href : `${url.href}/`;
}

function parsed(text: string): unknown {
  const value = parseJson(text);
  if (value !== undefined) return value;
  const isMarkup = text.trimStart().startsWith("<");
  throw new LogListFormatError(isMarkup ? "is HTML or XML instead of JSON" : "is not JSON");
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the text; "" for any other value. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value.slice(0, textLengthMax) : "";
}

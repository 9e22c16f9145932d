import { createLogListLoader } from "../../../engines/certificate-transparency/list-loading/log-list-loader.ts";
import { builtinLogList } from "../../../engines/certificate-transparency/log-list/builtin-list.ts";
import {
  chooseLogs,
  logsToFollow,
  extraLog,
} from "../../../engines/certificate-transparency/log-list/choose-logs.ts";
import { parseLogList } from "../../../engines/certificate-transparency/log-list/log-list.ts";
import type { CertificateLog } from "../../../engines/certificate-transparency/log.ts";
import type { CertificateLogsConfig } from "../../../platform/config/config.ts";
import type { Clock } from "../../../platform/lib/clock.ts";
import { messageOf, StartError } from "../../../platform/lib/errors.ts";
import { userAgentOf } from "../../../platform/lib/build-info.ts";
import { listText } from "../../../platform/lib/lists/list-texts.ts";
import { createSystemResolver } from "../../../platform/network/dns/resolve-with-system.ts";
import { connectHere } from "../certificate-log-reading/connection.ts";
import type { Candidate } from "../certificate-log-reading/messages.ts";
import { needsLogList } from "./followed-logs.ts";

/** Reading of logs without a database: every name is passed on, and nothing is stored. */
export interface Tail {
  config: CertificateLogsConfig;
  /** Follows only the logs of these operators, also declared ones; empty: all that the configuration selects. */
  only: readonly string[];
  clock: Clock;
  /** Returns a number from 0 to below 1. */
  random: () => number;
  signal: AbortSignal;
  /** Receives the names of some entries. */
  onNames: (names: readonly Candidate[]) => void;
  /** Receives problems, each once until the log can be read again. */
  onProblem: (what: string, problem: string) => void;
}

/** Follows the logs until the signal aborts. Rejects with what `onNames` throws, or StartError if there is no log. */
export async function tailLogs(options: Tail): Promise<void> {
  const { config, only, clock, random, signal, onNames, onProblem } = options;
  const selected = await readLogs({ config, clock, signal, onProblem });
  const logs = selected.filter(({ operator }) => only.length === 0 || only.includes(operator));
  if (logs.length === 0 && !signal.aborted) throw noLog(selected);
  const descriptions = new Map(logs.map(({ logId, description }) => [logId, description]));
  const failing = new Set<string>();
  const ended = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => ended.resolve(), { once: true });
  if (signal.aborted) ended.resolve();
  const { contact, firstStart, namesOnly, rates } = config;
  const settings = { catchUpMs: Infinity, firstStart, namesOnly };
  const connection = connectHere(
    { settings, userAgent: userAgentOf(contact), rates },
    {
      clock,
      random,
      onReport(report) {
        const { logId, generation } = report;
        if (report.report === "success") failing.delete(logId);
        if (report.report === "failure" || report.report === "mismatch") {
          if (!failing.has(logId)) onProblem(descriptions.get(logId) ?? logId, report.message);
          failing.add(logId);
        }
        if (report.report !== "batch" && report.report !== "mismatch") return;
        try {
          if (report.report === "batch") onNames(report.batch.candidates);
        } catch (error) {
          ended.reject(error);
        }
        connection.send({ do: "acknowledge", logId, generation });
      },
    },
  );
  // Without tables, all names pass.
  for (const log of logs) connection.send({ do: "follow", log, generation: 1, progress: null });
  try {
    await ended.promise;
  } finally {
    await connection.end();
  }
}

function noLog(selected: readonly CertificateLog[]): StartError {
  const operators = [...new Set(selected.map(({ operator }) => operator))].sort().join(", ");
  const advice =
    operators === ""
      ? "see 'phishwatch certificate-logs list', and certificate_logs.operators in the configuration"
      : `there are logs of ${operators}`;
  return new StartError(`no certificate log to read; ${advice}`);
}

/** Loads the list, and returns the logs to follow. */
async function readLogs(
  options: Pick<Tail, "config" | "clock" | "signal" | "onProblem">,
): Promise<CertificateLog[]> {
  const { config, clock, signal, onProblem } = options;
  const { contact, extraLogs, firstStart, logList: source, operators } = config;
  const resolveHost = createSystemResolver({ clock });
  let text = source.kind === "builtin" ? listText("certificate_logs", builtinLogList.text) : undefined;
  if (!needsLogList(config, text === undefined ? undefined : parseLogList(text)))
    return extraLogs.map(extraLog);
  const loader = createLogListLoader({ source, clock, resolveHost, userAgent: userAgentOf(contact) });
  try {
    text = (await loader.load(null, signal))?.text ?? text;
  } catch (error) {
    onProblem("log list", messageOf(error));
  } finally {
    loader.close();
  }
  const listed =
    text === undefined
      ? []
      : chooseLogs(parseLogList(text), {
          operators,
          now: clock.now(),
          nextIndex: () => null,
          firstIndex: firstStart,
        });
  return logsToFollow(listed, extraLogs.map(extraLog));
}

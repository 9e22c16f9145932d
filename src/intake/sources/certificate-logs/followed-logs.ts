import { builtinLogList } from "../../../engines/certificate-transparency/log-list/builtin-list.ts";
import {
  chooseLogs,
  logsToFollow,
  unknownOperators,
  type LogChoice,
  extraLog,
} from "../../../engines/certificate-transparency/log-list/choose-logs.ts";
import { parseLogList, type LogList } from "../../../engines/certificate-transparency/log-list/log-list.ts";
import type { CertificateLog } from "../../../engines/certificate-transparency/log.ts";
import type { CertificateLogsConfig } from "../../../platform/config/config.ts";
import type { Needs } from "../../../platform/database/needs.ts";
import type { Instant, Timer } from "../../../platform/lib/clock.ts";
import { spanText } from "../../../platform/lib/durations.ts";
import { messageOf } from "../../../platform/lib/errors.ts";
import { listText } from "../../../platform/lib/lists/list-texts.ts";
import { createLogStore } from "./log-store.ts";
import { eq } from "drizzle-orm";
import {
  nextListLoadMs,
  type LogListLoader,
} from "../../../engines/certificate-transparency/list-loading/log-list-loader.ts";
import type { Database } from "../../../platform/database/database.ts";
import { certificateLogLists } from "./tables.ts";

/** A list that was not refreshed for longer is reported: new logs appear twice a year, and old ones end. */
const refreshMsMax = 24 * 3_600_000;
/** There were 8 in 2026. */
const operatorsNamedMax = 20;

export type LogListStatus = ReturnType<FollowedLogs["status"]>;

/** The logs that the configuration and the log list select. Keeps the list up to date. */
export type FollowedLogs = ReturnType<typeof createFollowedLogs>;

export function createFollowedLogs({
  config,
  ...dependencies
}: Omit<ListRefreshDependencies, "setting"> &
  Needs<"clock" | "database"> & {
    config: Pick<CertificateLogsConfig, "extraLogs" | "firstStart" | "logList" | "operators" | "rates">;
  }) {
  const { clock, database } = dependencies;
  const { firstStart, logList: source, operators } = config;
  const setting = source.kind === "url" ? source.url : source.kind === "file" ? source.path : "builtin";
  const refresh = createListRefresh({ ...dependencies, setting });
  const rows = createLogStore(database);
  const { extra, problems } = extraLogsOf(config);
  let known: { text: string | undefined; list: LogList | undefined } | undefined;

  /** Returns the list that is in effect. It is parsed at the first use: a command may never need it. */
  function current(): LogList | undefined {
    const text = refresh.stored()?.text;
    if (known === undefined || known.text !== text)
      known = { text, list: listInEffect(text, { isBuiltin: source.kind === "builtin" }) };
    return known.list;
  }

  function choices(): LogChoice[] {
    const list = current();
    if (list === undefined) return [];
    const nextIndex = (logId: string) => rows.get(logId)?.position ?? null;
    return chooseLogs(list, { operators, now: clock.now(), firstIndex: firstStart, nextIndex });
  }

  const isNeeded = () => needsLogList(config, current());

  return {
    /** @param onChange called when other logs may have to be followed */
    start(onChange: () => void) {
      if (isNeeded()) refresh.start(onChange);
    },
    stop: refresh.stop,
    logs: (): readonly CertificateLog[] => logsToFollow(choices(), extra),
    status: () => ({
      /** `builtin`, or the URL or path of the configuration. */
      origin: setting,
      /** Whether a log of the list may be followed. If not, the list is not loaded. */
      isNeeded: isNeeded(),
      /** When the publisher wrote the list; null: there is none, or it is not needed. */
      publishedAt: isNeeded() ? (current()?.timestamp ?? null) : null,
      /** When the list was last fetched or found unchanged; null: never. */
      fetchedAt: refresh.stored()?.fetchedAt ?? null,
      /** Errors in the configuration or the list, and failures to refresh it; null if all is well. */
      problem:
        [...problems, ...operatorProblems(current(), config), ...refreshProblems(refresh, current())].join(
          "; ",
        ) || null,
      /** All logs of the list, with the reason why each is followed or not. */
      choices: choices(),
      /** Logs that the configuration declares. */
      extra,
    }),
  };
}

/** Name of no operator, for those who follow no public log. */
const nobody = "none";

/** Returns whether logs of the list can be selected: not if all operators are declared logs, or "none". */
export function needsLogList(
  { operators, extraLogs }: Pick<CertificateLogsConfig, "operators" | "extraLogs">,
  list: LogList | undefined,
): boolean {
  if (operators.length === 0 || operators.some(isListedWith(extraLogs))) return true;
  // A declared log may have the name of a public operator, which is then followed as well.
  return list !== undefined && unknownOperators(list, operators).length < operators.length;
}

/** A declared log is its own operator, under its name. */
function isListedWith(extraLogs: CertificateLogsConfig["extraLogs"]): (operator: string) => boolean {
  const others = new Set([nobody, ...extraLogs.map(({ name }) => name.toLowerCase())]);
  return (operator) => !others.has(operator.toLowerCase());
}

/** A stored list was valid when it was stored, but possibly not for this version of the product. */
function listInEffect(text: string | undefined, { isBuiltin }: { isBuiltin: boolean }): LogList | undefined {
  const stored = text === undefined ? undefined : parsedOrNothing(text);
  if (!isBuiltin) return stored;
  // A newer version of the product may contain a newer list.
  const embedded = parseLogList(listText("certificate_logs", builtinLogList.text));
  return stored !== undefined && stored.timestamp >= embedded.timestamp ? stored : embedded;
}

function parsedOrNothing(text: string): LogList | undefined {
  try {
    return parseLogList(text);
  } catch {
    return undefined;
  }
}

function operatorProblems(
  list: LogList | undefined,
  { operators, rates, extraLogs }: Pick<CertificateLogsConfig, "operators" | "rates" | "extraLogs">,
): string[] {
  if (list === undefined) return [];
  const isListed = isListedWith(extraLogs);
  const rated = rates.map(({ operator }) => operator);
  const problems = [
    ...unknownOperators(list, operators.filter(isListed)).map((name) => ["operators", name]),
    ...unknownOperators(list, rated.filter(isListed)).map((name) => ["rates", name]),
  ].map(([setting, name]) => `certificate_logs.${setting}: "${name}" is not an operator of the log list`);
  const known = [...new Set(list.logs.map(({ log }) => log.operator))];
  const more = known.length > operatorsNamedMax ? ", …" : "";
  return problems.length === 0
    ? []
    : [...problems, `its operators are ${known.slice(0, operatorsNamedMax).join(", ")}${more}`];
}

function refreshProblems(refresh: ListRefresh, list: LogList | undefined): string[] {
  const { failure, outdatedMs } = refresh.health();
  if (failure === null) return [];
  if (list === undefined) return [`there is no log list: ${failure}`];
  return outdatedMs > refreshMsMax
    ? [`the log list could not be refreshed for ${spanText(outdatedMs)}: ${failure}`]
    : [];
}

function extraLogsOf({ extraLogs }: Pick<CertificateLogsConfig, "extraLogs">) {
  const extra: CertificateLog[] = [];
  const problems: string[] = [];
  for (const declared of extraLogs) {
    try {
      const log = extraLog(declared);
      const same = extra.find(({ logId }) => logId === log.logId);
      if (same !== undefined)
        throw new Error(`it has the key of "${same.description}"; a log has a key of its own`);
      extra.push(log);
    } catch (error) {
      problems.push(`certificate_logs.extra_logs "${declared.name}": ${messageOf(error)}`);
    }
  }
  return { extra, problems };
}

type StoredList = typeof certificateLogLists.$inferSelect;

/** Loads a log list again and again, and stores it. */
type ListRefresh = ReturnType<typeof createListRefresh>;

interface ListRefreshDependencies extends Needs<"clock" | "database" | "log"> {
  /** Creates the loader at the first load. */
  loader: () => LogListLoader;
  random: () => number;
  /** Setting that names the list. */
  setting: string;
}

function createListRefresh(dependencies: ListRefreshDependencies) {
  const { clock, database, loader, log, random, setting } = dependencies;
  const lists = createListStore(database, setting);
  const stopping = new AbortController();
  let stored: { list: StoredList | undefined } | undefined;
  let startedAt: Instant = clock.now();
  let failures = 0;
  let failure: string | null = null;
  let timer: Timer | undefined;
  let loading: Promise<void> | undefined;
  let opened: LogListLoader | undefined;
  const current = (): StoredList | undefined => (stored ??= { list: lists.get() }).list;

  async function load(): Promise<void> {
    opened ??= loader();
    const before = current();
    const timestamp = before === undefined ? undefined : timestampOf(before.text);
    const known = before === undefined || timestamp === undefined ? null : { ...before, timestamp };
    const loaded = await opened.load(known, stopping.signal);
    const fetchedAt = clock.now();
    if (loaded !== null) {
      const { origin, text, etag, lastModified } = loaded;
      stored = { list: await save({ setting, origin, text, etag, lastModified, fetchedAt }) };
      report(text);
    } else if (before !== undefined) stored = { list: await save({ ...before, fetchedAt }) };
  }

  async function save(list: StoredList): Promise<StoredList> {
    await database.write(() => lists.save(list), { patient: true });
    return list;
  }

  function report(text: string): void {
    const { logs, problems, version } = parseLogList(text);
    for (const { description, reason } of problems)
      log.event("certificate_log.unusable", { log: description, reason });
    log.event("log_list.loaded", { list: setting, logs: logs.length, version });
  }

  /** Never rejects. */
  async function loadAndRepeat(onLoad: () => void): Promise<void> {
    try {
      await load();
      failures = 0;
      failure = null;
    } catch (error) {
      if (stopping.signal.aborted) return;
      failures++;
      failure = messageOf(error);
      log.event("log_list.not_loaded", { list: setting, reason: failure });
    }
    if (stopping.signal.aborted) return;
    // Also without a new list, because logs expire.
    onLoad();
    timer = clock.after(nextListLoadMs({ failures, random }), () => run(onLoad));
  }

  function run(onLoad: () => void): void {
    if (!stopping.signal.aborted) loading = loadAndRepeat(onLoad);
  }

  return {
    /** Returns the latest list. */
    stored: current,
    health: () => ({
      failure,
      outdatedMs: Math.max(0, clock.now() - Math.max(startedAt, current()?.fetchedAt ?? 0)),
    }),

    /** @param onLoad called after each load, also if it failed or the list has not changed */
    start(onLoad: () => void) {
      startedAt = clock.now();
      run(onLoad);
    },
    async stop() {
      stopping.abort();
      timer?.cancel();
      await loading;
      opened?.close();
    },
  };
}

/** Returns the time of a stored list; undefined if this version cannot read it. */
function timestampOf(text: string): Instant | undefined {
  try {
    return parseLogList(text).timestamp;
  } catch {
    return undefined;
  }
}

function createListStore({ query }: Database, setting: string) {
  const isList = eq(certificateLogLists.setting, setting);
  return {
    get: () => query.select().from(certificateLogLists).where(isList).get(),
    save: (row: StoredList) =>
      void query
        .insert(certificateLogLists)
        .values(row)
        .onConflictDoUpdate({ target: certificateLogLists.setting, set: row })
        .run(),
  };
}

import { eq } from "drizzle-orm";
import {
  nextListLoadMs,
  type LogListLoader,
} from "../../../engines/certificate-transparency/list-loading/log-list-loader.ts";
import { parseLogList } from "../../../engines/certificate-transparency/log-list/log-list.ts";
import type { Database } from "../../../platform/database/database.ts";
import type { Needs } from "../../../platform/database/needs.ts";
import type { Instant, Timer } from "../../../platform/lib/clock.ts";
import { messageOf } from "../../../platform/lib/errors.ts";
import { certificateLogLists } from "./tables.ts";

type StoredList = typeof certificateLogLists.$inferSelect;

/** Loads a log list again and again, and stores it. */
export type ListRefresh = ReturnType<typeof createListRefresh>;

export interface ListRefreshDependencies extends Needs<"clock" | "database" | "log"> {
  /** Creates the loader at the first load. */
  loader: () => LogListLoader;
  random: () => number;
  /** Setting that names the list. */
  setting: string;
}

export function createListRefresh(dependencies: ListRefreshDependencies) {
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

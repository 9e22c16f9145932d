import { type Actor, system } from "../../../access/audit/actor.ts";
import type { Needs } from "../../../access/audit/needs.ts";
import type { Settings } from "../../../access/settings/settings.ts";
import type { Config } from "../../../platform/config/config.ts";
import type { Database } from "../../../platform/database/database.ts";
import { DatabaseFileChangedError } from "../../../platform/database/files/open-file.ts";
import { type Clock, dayMs, type Instant } from "../../../platform/lib/clock.ts";
import { badRequest, messageOf, PublicError } from "../../../platform/lib/errors.ts";
import type { Log } from "../../../platform/lib/log.ts";
import { every, nextTime, type Schedule } from "../../../platform/lib/schedule.ts";
import type { StartWorker } from "../../../platform/vocabulary/threads.ts";
import type { MadeBackup } from "../making/make-backup.ts";
import type { BackupTask, Reply } from "./run-backup.ts";
import { type BackupOutcomes, completedAt, readOutcomes, writeOutcomes } from "./outcomes.ts";

/** The database of a backup is opened if none was for this long: reading all of it takes longer than the backup. */
const openEveryMs = dayMs - 3_600_000;
/** A scheduled backup that is later than this is overdue. */
const graceMs = 3_600_000;
/** How long `stop` waits for a backup in progress to notice. */
const stopMsMax = 3_000;

export interface BackupStatus extends BackupOutcomes {
  /** Why no backups are made here; null: they can be. */
  unavailable: string | null;
  /** Null: no scheduled backups. */
  schedule: string | null;
  /** Null: no scheduled backups. */
  nextAt: Instant | null;
  /** Since when a scheduled backup has been missing; null: none is. */
  overdueSince: Instant | null;
  /** Name of the place, such as a folder. */
  location: string;
  isEncrypted: boolean;
  isRunning: boolean;
  /** Since the start of this process. */
  failuresTotal: number;
}

/** Backups of the whole appliance, by the server. */
export interface Backups {
  /**
   * Makes a backup now and records it in the audit log.
   * @throws PublicError `bad_request` while another one is being made, or if none can be made here; otherwise the error
   * of the backup, which is also in the status
   */
  make(options: { by: Actor }): Promise<MadeBackup>;
  status(): BackupStatus;
  /** Starts the schedule. */
  start(): void;
  stop(): Promise<void>;
}

interface Dependencies extends Needs<"auditLog" | "clock" | "database" | "fillRandom" | "log"> {
  config: Pick<Config, "backup" | "source">;
  onConfigChange: (listener: () => void) => void;
  settings: Settings;
  /** Undefined: backups are made in this thread. */
  startWorker: StartWorker | undefined;
  version: string;
}

export function createBackups(dependencies: Dependencies): Backups {
  const { auditLog, clock, config, database, fillRandom, log, settings, startWorker, version } = dependencies;
  const unavailable = database.path === ":memory:" ? "the database is kept in memory only" : null;
  const stopping = new AbortController();
  const createdAt = clock.now();
  let running: Promise<MadeBackup> | undefined;
  let failuresTotal = 0;
  const failures = createFailureRecord(database, settings);

  function make(by: Actor): Promise<MadeBackup> {
    if (unavailable !== null) throw badRequest(`No backup can be made: ${unavailable}.`);
    if (running !== undefined) throw badRequest("A backup is being made. Try again when it has finished.");
    running = run(by).finally(() => (running = undefined));
    return running;
  }

  async function run(by: Actor): Promise<MadeBackup> {
    const outcomes = readOutcomes(settings);
    const { openedAt } = outcomes;
    try {
      const change = database.file?.change();
      if (change !== undefined) throw new DatabaseFileChangedError(change);
      // A time in the future is of a clock that was wrong.
      const made = await work(openedAt === null || Math.abs(clock.now() - openedAt) >= openEveryMs, outcomes);
      await database.write(() => {
        writeOutcomes(settings, { ...completedAt(made, clock.now()), store: made.store });
        const { id, files, bytes, storedBytes } = made;
        auditLog.record(by, "backup.make", id, { files, bytes, stored_bytes: storedBytes });
      });
      failures.clear();
      logMade(log, made);
      return made;
    } catch (error) {
      failuresTotal++;
      log.event("backup.failed", { error });
      const failure = { at: clock.now(), error: messageOf(error) };
      await failures.record(failure);
      throw error;
    }
  }

  async function work(opensDatabase: boolean, outcomes: BackupOutcomes): Promise<MadeBackup> {
    const task = taskOf(config, database, { version, opensDatabase, outcomes });
    const { signal } = stopping;
    if (startWorker !== undefined) return backUpInThread(task, { startWorker, signal });
    // Loaded now: it needs the clients of the stores.
    const { runBackup } = await import("./run-backup.ts");
    return runBackup(task, { clock, fillRandom, signal });
  }

  const schedule = createBackupSchedule(
    clock,
    () => config.backup.schedule,
    () => (running === undefined ? make(system) : undefined),
  );
  return {
    make: ({ by }) => make(by),
    status() {
      const isRunning = running !== undefined;
      const state = { unavailable, isRunning, failuresTotal };
      const stored = readOutcomes(settings);
      const outcomes = { ...stored, failure: failures.unstored() ?? stored.failure };
      return { ...outcomes, ...state, ...scheduleOf(config.backup, outcomes, createdAt, clock.now()) };
    },
    start() {
      if (unavailable !== null) return;
      dependencies.onConfigChange(schedule.apply);
      schedule.apply();
    },
    async stop() {
      schedule.stop();
      stopping.abort(new PublicError("internal_error", "phishwatch was stopped"));
      if (running === undefined) return;
      await settledOrLate(running, clock);
    },
  };
}

function logMade(log: Log, made: MadeBackup): void {
  const { id: backup, files: fileCount, bytes, storedBytes, durationMs, kept } = made;
  const { foreign, notChecked, repaired } = made;
  log.event("backup.completed", { backup, fileCount, bytes, storedBytes, durationMs, kept });
  if (notChecked !== null) log.event("backup.not_checked", { backup, reason: notChecked });
  if (foreign !== null) log.event("backup.foreign", { backup: foreign.id, host: foreign.host });
  if (repaired !== undefined) log.event("backup.repaired", { backup, reason: repaired });
}

/** Stores failures, and keeps one that could not be stored: a full disk prevents both. */
function createFailureRecord(database: Pick<Database, "write">, settings: Settings) {
  let unstored: BackupOutcomes["failure"] = null;
  return {
    unstored: () => unstored,
    clear: () => void (unstored = null),
    async record(failure: NonNullable<BackupOutcomes["failure"]>): Promise<void> {
      unstored = failure;
      await database
        .write(() => writeOutcomes(settings, { failure }))
        .then(
          () => (unstored = null),
          () => {},
        );
    },
  };
}

function taskOf(
  { backup, source }: Pick<Config, "backup" | "source">,
  { file, path }: Pick<Database, "file" | "path">,
  others: Pick<BackupTask, "version" | "opensDatabase" | "outcomes">,
): BackupTask {
  // A view of the configuration cannot be sent to a thread, but its values can.
  const { location, encryptWith, keep } = backup;
  return {
    databasePath: file?.path ?? path,
    descriptor: file?.descriptor(),
    settings: { location, encryptWith, keep },
    configuration: source?.text,
    ...others,
  };
}

async function settledOrLate(running: Promise<unknown>, clock: Clock): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = clock.after(stopMsMax, late.resolve);
  await Promise.race([running.catch(() => {}), late.promise]);
  timer.cancel();
}

/** @param pattern returns the present one; null: no schedule */
function createBackupSchedule(
  clock: Clock,
  pattern: () => string | null,
  makes: () => Promise<unknown> | undefined,
) {
  let schedule: Schedule | undefined;
  let applied: string | null = null;
  return {
    /** Follows a pattern that has changed. */
    apply(): void {
      const next = pattern();
      if (next === applied) return;
      schedule?.stop();
      applied = next;
      schedule = next === null ? undefined : every({ clock, pattern: next, run });
      async function run() {
        // Failures are logged and stored.
        await makes()?.catch(() => {});
      }
    },
    stop: () => schedule?.stop(),
  };
}

/** @param createdAt start of the process */
function scheduleOf(
  { schedule, location, encryptWith }: Config["backup"],
  { completed }: BackupOutcomes,
  createdAt: Instant,
  now: Instant,
) {
  // A time in the future is of a clock that was wrong.
  const completedAtMs = completed?.at ?? Infinity;
  return {
    schedule,
    nextAt: schedule === null ? null : nextTime(schedule, now),
    overdueSince: overdueSince(schedule, completedAtMs <= now ? completedAtMs : createdAt, now),
    location: locationName(location),
    isEncrypted: encryptWith !== null,
  };
}

/** @param since last backup, or the start of the process if there is none */
function overdueSince(schedule: string | null, since: Instant, now: Instant): Instant | null {
  const due = schedule === null ? null : nextTime(schedule, since);
  return due !== null && now - due > graceMs ? due : null;
}

function locationName(location: Config["backup"]["location"]): string {
  if (location.kind === "folder") return location.folder;
  return `s3://${location.bucket}${location.prefix === "" ? "" : `/${location.prefix}`}`;
}

/**
 * Makes a backup in a thread of its own, which ends with it.
 * @throws an error with the message of the thread
 */
async function backUpInThread(
  task: BackupTask,
  { startWorker, signal }: { startWorker: StartWorker; signal: AbortSignal },
): Promise<MadeBackup> {
  const worker = startWorker("backup");
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const stop = () => worker.postMessage("stop");
  worker.on("message", (reply: Reply) => resolve(reply));
  worker.on("error", reject);
  worker.on("exit", () => reject(new Error("the thread of the backup exited early")));
  signal.addEventListener("abort", stop, { once: true });
  worker.postMessage(task);
  try {
    const reply = await promise;
    if ("error" in reply) throw new Error(reply.error);
    return reply.made;
  } finally {
    signal.removeEventListener("abort", stop);
    await worker.terminate();
  }
}

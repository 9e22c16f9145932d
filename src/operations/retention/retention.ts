import { dirname, join } from "node:path";
import type { Actor } from "../../access/audit/actor.ts";
import type { AuditLog } from "../../access/audit/audit-log.ts";
import type { Config } from "../../platform/config/config.ts";
import type { Needs } from "../../platform/database/needs.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import { type Log, logDropped } from "../../platform/lib/log.ts";
import { every, type Schedule } from "../../platform/lib/schedule.ts";
import { createScreenshotFiles, type ScreenshotFolder } from "../../facts/lookups/page/screenshot-files.ts";
import { createDeleter } from "./deleter.ts";
import { createNotices, noticeMs, type Notices, settingOf } from "./notices.ts";
import { createOldScreenshots, createOldThreats } from "./old-data.ts";
import { createPreview, type Preview } from "./preview.ts";
import { type RetentionRule, retentionRules } from "./tables.ts";

/** State of a setting. */
export interface RuleState {
  rule: RetentionRule;
  /** Age in the configuration, in milliseconds; null: off. */
  ageMs: number | null;
  /** When it deletes for the first time, in the past if it has; null: off, or the server has not seen it yet. */
  deletesFrom: Instant | null;
  /** Longer age that is in effect until then; null: none. */
  previousAgeMs: number | null;
}

/** Preview of a setting for the time of its first deletion. */
export interface RulePreview extends RuleState {
  /** Whether `ageMs` was given to try it. */
  isTried: boolean;
  /** Absent: the rule is off. */
  preview: Preview | undefined;
}

export type DeletedCounts = Record<RetentionRule, number>;

/**
 * Deletes old data as `[retention]` says: closed threats, their screenshots, and entries of the audit log. A setting that
 * is new, or shorter than before, deletes nothing for `noticeMs`, so that people see first what it will delete.
 */
export interface DataRetention {
  /** Runs once an hour from now on. */
  start(): void;
  /** Stops after the present transaction; the rest is deleted by the next run. */
  stop(): Promise<void>;
  /** Runs now and returns how much was deleted. */
  run(): Promise<DeletedCounts>;
  /** Stores settings that have changed. */
  settle(): Promise<void>;
  states(): RuleState[];
  /**
   * Previews what each setting deletes when it first does.
   * @param tried ages to try instead of those in the configuration, in milliseconds
   */
  previews(tried?: ReadonlyMap<RetentionRule, number>): Promise<RulePreview[]>;
  /** Returns the number of deleted names that lists do not record again. */
  deletedNames(): number;
  /**
   * Lets sources record a deleted name again. Returns the protected domains that it resembles.
   * @param domain A-label form
   */
  restore(domain: string, by: Actor): Promise<string[]>;
  /** Returns how much was deleted since the start. */
  totals(): DeletedCounts;
  /** Returns how the last scheduled run ended; undefined before the first one. */
  lastRun(): "completed" | "failed" | undefined;
}

const hourly = "41 * * * *";
const background = { patient: true };
const none = (): DeletedCounts => ({ false_positives: 0, resolved: 0, screenshots: 0, audit: 0 });

interface Dependencies extends Needs<"clock" | "database" | "log"> {
  auditLog: Pick<AuditLog, "list" | "record">;
  config: Pick<Config, "retention">;
  onConfigChange?: (listener: () => void) => void;
  /** Default: the folder next to the database. */
  files?: ScreenshotFolder;
}

export function createDataRetention(dependencies: Dependencies): DataRetention {
  const { auditLog, clock, config, database, log, onConfigChange } = dependencies;
  const files = dependencies.files ?? filesNextTo(database.path);
  const notices = createNotices({ auditLog, clock, config, database });
  const oldThreats = createOldThreats(database);
  const oldScreenshots = createOldScreenshots(database);
  const preview = createPreview({ database, files, oldThreats, oldScreenshots });
  let previewing: Promise<RulePreview[]> | undefined;
  const totals = none();
  const states = () => retentionRules.map((rule) => stateOf(rule, config, notices));
  let stopped = false;
  let schedule: Schedule | undefined;
  const sequence = createSequence({ log, run, settle });
  const deleter = createDeleter({
    clock,
    database,
    files,
    notices,
    oldScreenshots,
    oldThreats,
    isStopped: () => stopped,
  });

  async function settle(): Promise<void> {
    const before = states();
    await database.write(notices.settle, background);
    for (const { rule, deletesFrom } of states()) {
      const known = before.find((one) => one.rule === rule)?.deletesFrom;
      if (deletesFrom !== null && deletesFrom !== known && deletesFrom > clock.now())
        log.event("retention.notice", { setting: `retention.${rule}` });
    }
  }

  async function run(): Promise<DeletedCounts> {
    await settle();
    const counts = none();
    // Screenshots first, as the threats that are deleted take theirs along: each is what its preview showed.
    for (const rule of ["audit", "screenshots", "false_positives", "resolved"] as const) {
      counts[rule] = await deleter.run(rule);
      totals[rule] += counts[rule];
      if (counts[rule] > 0)
        log.event("retention.data_deleted", { count: counts[rule], setting: `retention.${rule}` });
    }
    await deleter.sweep();
    await database.write(notices.recordCounts, background);
    return counts;
  }

  async function previewAll(tried: ReadonlyMap<RetentionRule, number> = new Map()): Promise<RulePreview[]> {
    const rows: RulePreview[] = [];
    for (const state of states()) {
      const { rule } = state;
      const isTried = tried.has(rule);
      const ageMs = tried.get(rule) ?? state.ageMs;
      const deletesFrom = isTried ? null : state.deletesFrom;
      const at = Math.max(clock.now(), deletesFrom ?? clock.now() + noticeMs);
      const found = ageMs === null ? undefined : await preview(rule, ageMs, at);
      rows.push({ ...state, ageMs, deletesFrom, isTried, preview: found });
    }
    return rows;
  }

  return {
    start() {
      // In memory, nothing is old, and the sandbox's clock would run each hour of a month that it skips.
      if (!database.isShared) return;
      stopped = false;
      schedule = every({ clock, pattern: hourly, run: sequence.run });
      sequence.settle();
      onConfigChange?.(() => void (schedule === undefined ? undefined : sequence.settle()));
    },
    async stop() {
      stopped = true;
      schedule?.stop();
      schedule = undefined;
      await sequence.idle();
    },
    run,
    settle,
    states,
    async previews(tried) {
      if (tried !== undefined) return previewAll(tried);
      // People who ask at the same time share one pass over the threats.
      previewing ??= previewAll().finally(() => (previewing = undefined));
      return previewing;
    },
    ...createDeletedNames({ auditLog, database }),
    totals: () => ({ ...totals }),
    lastRun: sequence.lastRun,
  };
}

/** Deletes and stores settings one after the other, and logs errors. */
function createSequence({ log, run, settle }: { log: Log } & Pick<DataRetention, "run" | "settle">) {
  let last: Promise<void> = Promise.resolve();
  let lastRun: "completed" | "failed" | undefined;
  const logFailure = (error: unknown) => logDropped(log, error, "retention.data_failed");
  return {
    run: (): Promise<void> =>
      (last = last.then(run).then(
        () => void (lastRun = "completed"),
        (error: unknown) => {
          lastRun = "failed";
          logFailure(error);
        },
      )),
    settle: () => void (last = last.then(settle).catch(logFailure)),
    lastRun: () => lastRun,
    /** Resolves when nothing runs any more. */
    idle: () => last,
  };
}

function filesNextTo(databasePath: string): ScreenshotFolder {
  return createScreenshotFiles(
    databasePath === ":memory:" ? null : join(dirname(databasePath), "screenshots"),
  );
}

/** The names of deleted threats, for people. */
function createDeletedNames({
  auditLog,
  database,
}: Pick<Dependencies, "auditLog" | "database">): Pick<DataRetention, "deletedNames" | "restore"> {
  const count = database.prepare<{ n: number }>("select count(*) as n from deleted_threats");
  const remove = database.prepare<{ protected: string }, [string]>(
    `delete from deleted_threats where domain = ? returning
       (select domain from protected_domains where seq = protected_domain_seq) as protected`,
  );
  return {
    deletedNames: () => count.get()!.n,
    restore: (domain, by) =>
      database.write(() => {
        const removed = remove.all(domain).map((row) => row.protected);
        if (removed.length > 0)
          auditLog.record(by, "retention.restore", domain, { protected_domains: removed });
        return removed;
      }),
  };
}

function stateOf(rule: RetentionRule, config: Pick<Config, "retention">, notices: Notices): RuleState {
  const ageMs = settingOf(rule, config);
  const notice = ageMs === null ? undefined : notices.find(rule);
  return {
    rule,
    ageMs,
    // A shorter setting that the server has not seen yet begins a notice of its own.
    deletesFrom: notice === undefined || ageMs! < notice.ageMs ? null : notice.since + noticeMs,
    previousAgeMs: notice?.previousAgeMs ?? null,
  };
}

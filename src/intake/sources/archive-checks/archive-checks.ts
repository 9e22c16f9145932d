import type { Archive } from "../../../engines/archive/archive.ts";
import type { DetectionSettings } from "../../../platform/config/config.ts";
import type { Needs } from "../../../platform/database/needs.ts";
import type { ProtectedDomains } from "../../../threats/domains/domains.ts";
import type { Instant, Timer } from "../../../platform/lib/clock.ts";
import { backoffMs } from "../../../platform/lib/durations.ts";
import { logDropped } from "../../../platform/lib/log.ts";
import { every, type Schedule } from "../../../platform/lib/schedule.ts";
import type { StartWorker } from "../../../platform/vocabulary/threads.ts";
import type { Candidates } from "../candidates.ts";
import { createCheckRunner } from "./check-runner.ts";
import { createCheckStore, type CheckedDomain } from "./check-store.ts";
import type { ArchiveCheck } from "./tables.ts";

/** When changes by other processes are noticed. */
const pollPattern = "*/2 * * * * *";
const retries = { firstMs: 60_000, maxMs: 3_600_000 };

/** `waiting`: has not begun, or continues after other domains. `failed`: is retried. */
export const archiveCheckStates = ["waiting", "running", "completed", "failed"] as const;

type Counts = Pick<
  ArchiveCheck,
  "namesTotal" | "namesChecked" | "found" | "created" | "completedAt" | "error"
> & { startedAt: Instant | null };

/** Check of a protected domain against the names that were seen before. */
export interface ArchiveCheckStatus extends Counts {
  domain: string;
  state: (typeof archiveCheckStates)[number];
}

/**
 * Checks the names in the archive whenever a domain is protected or its matching becomes wider, however that happened:
 * in this process, by a command, or in the configuration file. Several domains are checked together. A check resumes
 * where it was interrupted.
 */
export type ArchiveChecks = ReturnType<typeof createArchiveChecks>;

interface ArchiveChecksDependencies extends Needs<"clock" | "database" | "log"> {
  archive: Pick<Archive, "extent" | "flush" | "read" | "status">;
  candidates: Pick<Candidates, "process">;
  domains: Pick<ProtectedDomains, "list" | "onChange">;
  detection: Pick<DetectionSettings, "minSimilarity">;
  /** Starts a thread that prefilters names; undefined: this thread does it, between other work. */
  startWorker: StartWorker | undefined;
}

export function createArchiveChecks(dependencies: ArchiveChecksDependencies) {
  const { archive, clock, database, domains, log } = dependencies;
  const store = createCheckStore(database);
  const runner = createCheckRunner({ ...dependencies, store });
  let polling: Schedule | undefined;
  let isStarted = false;
  let running: Promise<void> | undefined;
  let isWanted = false;
  let failures = 0;
  let retry: Timer | undefined;
  const mayRun = () => isStarted && retry === undefined;

  /** Runs what is due, now or after the present pass, which ends early if one of its domains has changed. */
  function wake(): void {
    if (!isStarted || !archive.status().enabled) return;
    isWanted = true;
    runner.stopOutdated();
    running ??= runWanted().finally(() => {
      running = undefined;
      if (isWanted) wake();
    });
  }

  async function runWanted(): Promise<void> {
    while (isWanted && mayRun()) {
      isWanted = false;
      try {
        while (mayRun() && (await runner.runNext())) failures = 0;
      } catch (error) {
        logDropped(log, error, "archive_check.failed");
        if (!isStarted) return;
        retry = clock.after(backoffMs({ failures: ++failures, ...retries }), retryNow);
      }
    }
    isWanted = false;
  }

  function retryNow(): void {
    retry?.cancel();
    retry = undefined;
    wake();
  }

  /** Returns the checks of all enabled protected domains, by name; none while the archive is disabled. */
  function list(): ArchiveCheckStatus[] {
    if (!archive.status().enabled) return [];
    const current = new Map(runner.running().map((check) => [check.protectedDomainSeq, check]));
    return store.domains().map((one) => statusOf(one, current.get(one.seq)));
  }

  // A new domain does not wait for the retry of others.
  domains.onChange(retryNow);
  return {
    list,
    find: (domain: string) => list().find((one) => one.domain === domain),
    start() {
      isStarted = true;
      wake();
      if (database.isShared) polling = pollForeignChanges({ clock, database, changed: wake });
    },

    /** Stops at the next yield. The next start resumes. */
    async stop() {
      isStarted = false;
      polling?.stop();
      retry?.cancel();
      runner.stop();
      await running;
    },

    /** Resolves when no check is running or about to run. */
    idle: async (): Promise<void> => void (await running),
  };
}

/** Calls `changed` soon after another process has committed a change. */
function pollForeignChanges(options: Needs<"clock" | "database"> & { changed: () => void }): Schedule {
  const { clock, database, changed } = options;
  let version = database.foreignVersion();
  return every({
    clock,
    pattern: pollPattern,
    run() {
      const now = database.foreignVersion();
      if (now !== version) changed();
      version = now;
    },
  });
}

function statusOf(
  { domain, widenings, check }: CheckedDomain,
  running: ArchiveCheck | undefined,
): ArchiveCheckStatus {
  const latest = running ?? (check?.widenings === widenings ? check : null);
  const { namesTotal, namesChecked, found, created, startedAt, completedAt, error } = latest ?? notBegun;
  const counts = { namesTotal, namesChecked, found, created, startedAt, completedAt, error };
  // Names of files that are merged during the check are read twice.
  if (running !== undefined)
    return { domain, state: "running", ...counts, namesChecked: Math.min(namesChecked, namesTotal) };
  // One that was running when the process ended.
  const state = latest === null || latest.state === "running" ? "waiting" : latest.state;
  return { domain, state, ...counts };
}

const notBegun: Counts = {
  namesTotal: 0,
  namesChecked: 0,
  found: 0,
  created: 0,
  startedAt: null,
  completedAt: null,
  error: null,
};

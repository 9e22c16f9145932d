import type { Archive } from "../../../engines/archive/archive.ts";
import type { Database } from "../../../platform/database/database.ts";
import type { ProtectedDomains } from "../../../threats/domains/domains.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import { messageOf } from "../../../platform/lib/errors.ts";
import { logDropped, type Log } from "../../../platform/lib/log.ts";
import { createCheckPass, type CheckPass, type PassDependencies } from "./check-pass.ts";
import type { CheckedDomain } from "./check-store.ts";
import type { ArchiveCheck } from "./tables.ts";

const errorCharactersMax = 300;

interface CheckRunnerDependencies extends Omit<PassDependencies, "archive" | "database"> {
  archive: Pick<Archive, "extent" | "flush" | "read">;
  database: Pick<Database, "write" | "afterCommit">;
  domains: Pick<ProtectedDomains, "list">;
  log: Log;
}

export function createCheckRunner({ domains, log, ...dependencies }: CheckRunnerDependencies) {
  const { archive, clock, database, store } = dependencies;
  let pass: CheckPass | undefined;

  function save(checks: readonly ArchiveCheck[]): Promise<void> {
    const work = () => {
      const present = new Set(store.domains().map(({ seq }) => seq));
      for (const check of checks) if (present.has(check.protectedDomainSeq)) store.save(check);
    };
    return database.write(work, { patient: true });
  }

  async function runPass(begun: readonly ArchiveCheck[]): Promise<void> {
    const checkOf = new Map(begun.map((check) => [check.protectedDomainSeq, check]));
    const targets = domains.list().filter(({ seq }) => checkOf.has(seq));
    // One was deleted since: the others are due again.
    if (targets.length < begun.length) return;
    const startedMs = clock.monotonicMs();
    const checks = targets.map(({ seq }) => checkOf.get(seq)!);
    pass = createCheckPass(dependencies, targets, checks);
    try {
      if (!(await pass.run())) return;
      const names = targets.map(({ domain }) => domain);
      logCompleted(log, names, pass.checks(), Math.round(clock.monotonicMs() - startedMs));
    } catch (error) {
      const failed = { state: "failed", error: messageOf(error).slice(0, errorCharactersMax) } as const;
      await save(pass.checks().map((check) => ({ ...check, ...failed }))).catch((dropped: unknown) =>
        logDropped(log, dropped, "archive_check.failure_not_recorded"),
      );
      throw error;
    } finally {
      pass = undefined;
    }
  }

  return {
    /**
     * Runs one pass for domains that need a check. Returns false if there was none.
     * @throws the error that ended the pass; it is recorded
     */
    async runNext() {
      const due = nextOf(store.domains().filter(isDue));
      if (due.length === 0) return false;
      await archive.flush();
      const { names } = await archive.extent();
      const begun = due.map((one) => beginCheck(one, { names, at: clock.now() }));
      await save(begun);
      // An empty archive needs no check, as at the first start of nearly every appliance.
      if (names > 0) await runPass(begun);
      return true;
    },

    /** Returns the checks in progress with their present counts. */
    running: (): readonly ArchiveCheck[] => pass?.checks() ?? [],

    /** Stops the pass if it is no longer right: one of its domains was removed or changed. Never throws. */
    stopOutdated() {
      try {
        if (pass !== undefined && isOutdated(pass.checks(), store.domains())) pass.stop();
      } catch (error) {
        logDropped(log, error, "archive_check.changes_not_read");
      }
    },

    /** Stops the pass at its next yield. */
    stop: () => pass?.stop(),
  };
}

function isDue({ widenings, check }: CheckedDomain): boolean {
  return check === null || check.widenings !== widenings || check.state !== "completed";
}

/** Returns the domains to check next: those of an interrupted pass, or else all of them, from the start. */
function nextOf(due: readonly CheckedDomain[]): readonly CheckedDomain[] {
  const begun = due.filter(
    ({ widenings, check }) => check?.widenings === widenings && check.position !== null,
  );
  const [first] = begun;
  return first === undefined ? due : begun.filter(({ check }) => check!.position === first.check!.position);
}

function beginCheck(
  { seq, widenings, check }: CheckedDomain,
  { names, at }: { names: number; at: Instant },
): ArchiveCheck {
  const isResumed = check?.widenings === widenings && check.position !== null && names > 0;
  if (isResumed) return { ...check, state: "running", error: null };
  return {
    protectedDomainSeq: seq,
    widenings,
    state: names === 0 ? "completed" : "running",
    position: null,
    namesTotal: names,
    namesChecked: 0,
    found: 0,
    created: 0,
    startedAt: at,
    completedAt: names === 0 ? at : null,
    error: null,
  };
}

function isOutdated(checks: readonly ArchiveCheck[], present: readonly CheckedDomain[]): boolean {
  const widenings = new Map(present.map((one) => [one.seq, one.widenings]));
  return checks.some((check) => widenings.get(check.protectedDomainSeq) !== check.widenings);
}

function logCompleted(
  log: Log,
  domains: readonly string[],
  checks: readonly ArchiveCheck[],
  durationMs: number,
): void {
  const sum = (count: (check: ArchiveCheck) => number) => checks.reduce((all, one) => all + count(one), 0);
  const found = sum((check) => check.found);
  const created = sum((check) => check.created);
  log.event("archive_check.finished", {
    domains,
    names: checks[0]!.namesChecked,
    found,
    created,
    durationMs,
  });
}

import type { Needs } from "../../../platform/database/needs.ts";
import type { ProtectedDomains } from "../../../threats/domains/domains.ts";
import type { Clock } from "../../../platform/lib/clock.ts";
import { logDropped } from "../../../platform/lib/log.ts";
import type { InspectionPriority } from "../../../platform/vocabulary/inspections.ts";
import type { InspectionTarget } from "../model/inspector.ts";
import type { Attempt, RunAttempt } from "./attempt.ts";
import type { Budget } from "./budget.ts";
import { noResult } from "../model/inspection.ts";
import { outcomeOf, type InspectedThreat, type ThreatRecorder } from "./record-result.ts";
import type { QueuedInspection } from "./store.ts";
import type { InspectionStore, Outcome } from "./store.ts";

const minuteMs = 60_000;
const notRecorded =
  "no threat is recorded: it was submitted with an API key that is limited to other protected domains";
/** Delays after attempts that failed for a reason that may pass. After the last one, the inspection has failed. */
const retryDelaysMs: Record<InspectionPriority, readonly number[]> = {
  person: [minuteMs, 10 * minuteMs],
  submission: [5 * minuteMs, 60 * minuteMs],
  feed: [30 * minuteMs],
};
/** A process that is killed by a page would be killed by it again at each start. */
const startsMax = 6;
/** Facts that a power failure loses are determined again; a threat and its event are not. */
const background = { relaxed: true, patient: true };

export type Runner = ReturnType<typeof createRunner>;

type Finished = Exclude<Attempt, { kind: "busy" }>;
type Inspected = Extract<Attempt, { kind: "inspected" }>;

interface RunnerDependencies extends Needs<"database" | "log"> {
  attempt: RunAttempt;
  browser: () => InspectionTarget["browser"];
  budget: Pick<Budget, "giveBack">;
  clock: Pick<Clock, "now" | "monotonicMs">;
  domains: Pick<ProtectedDomains, "matcher">;
  recordThreats: ThreatRecorder["record"];
  saveFacts: (found: readonly InspectedThreat[]) => Promise<void>;
  store: InspectionStore;
}

export function createRunner(dependencies: RunnerDependencies) {
  const { attempt, browser, budget, clock, database, domains, store } = dependencies;
  const { finish, save } = createFinisher(dependencies);
  return {
    finish,
    /**
     * Inspects the address of a row that was started, and saves the result. Rejects when the signal aborts.
     * @param onBrowser called before it waits for the browser
     */
    async run(inspection: QueuedInspection, signal: AbortSignal, onBrowser: () => void): Promise<void> {
      const { address, attempts, host } = inspection;
      if (domains.matcher().isOwn(host))
        return void (await save(inspection, {
          state: "skipped",
          reason: "its host is your own or an allowed name, which is never fetched",
        }));
      if (attempts >= startsMax)
        return void (await save(inspection, {
          state: "failed",
          reason: `${startsMax} attempts to inspect it ended early: phishwatch ended, or an internal error occurred`,
        }));
      const startedMs = clock.monotonicMs();
      const result = await attempt(
        { address, host, browser: browser(), isUrgent: inspection.priority === "person", onBrowser },
        signal,
      );
      const durationMs = Math.round(clock.monotonicMs() - startedMs);
      if (result.kind !== "busy") return finish(inspection, result, { durationMs, mayRetry: true });
      await database.write(() => {
        store.putBack(inspection.seq);
        store.postpone(
          inspection.seq,
          clock.now() + result.delayMs,
          "other pages of its server are inspected",
        );
        // Nothing was fetched. Thousands of names of one server would otherwise use up the day by waiting for each other.
        store.giveBackStart(clock.now());
      }, background);
      budget.giveBack(startedMs);
    },
  };
}

/** Saves what attempts found. */
function createFinisher({
  clock,
  database,
  log,
  recordThreats,
  saveFacts,
  store,
}: Pick<RunnerDependencies, "clock" | "database" | "log" | "recordThreats" | "saveFacts" | "store">) {
  /** Ends or postpones the inspection. */
  const save = (inspection: QueuedInspection, ended: Partial<Outcome> & Pick<Outcome, "state">) =>
    database.write(() => {
      const now = clock.now();
      const isOver = ended.state !== "queued";
      store.save(inspection.seq, {
        dueAt: now,
        finishedAt: isOver ? now : null,
        ...noResult,
        threatSeq: null,
        ...ended,
      });
      if (ended.state === "failed" || ended.state === "skipped") store.add(now, ended.state, 1);
      if (ended.durationMs !== undefined && ended.durationMs !== null)
        store.add(now, "durationMs", ended.durationMs);
    }, background);

  async function saveFailure(
    inspection: QueuedInspection,
    { reason, isFinal }: Extract<Attempt, { kind: "failed" }>,
    { durationMs, mayRetry }: { durationMs: number; mayRetry: boolean },
  ): Promise<void> {
    const delayMs =
      isFinal || !mayRetry ? undefined : retryDelaysMs[inspection.priority][inspection.attempts];
    if (delayMs === undefined) await save(inspection, { state: "failed", reason, durationMs });
    else await save(inspection, { state: "queued", reason, durationMs, dueAt: clock.now() + delayMs });
  }

  async function saveResult(
    inspection: QueuedInspection,
    inspected: Inspected,
    durationMs: number,
  ): Promise<void> {
    const [first] = inspected.result.verdicts;
    const imitates = first?.imitates === true;
    const concerned = await database.write(
      () => {
        const now = clock.now();
        // A person who sees more protected domains may have requested it since.
        const within = store.withinOf(inspection.seq);
        const found = recordThreats({ ...inspection, within }, inspected);
        const outcome = outcomeOf(inspected, { at: now, durationMs });
        if (outcome.imitates === true && within?.includes(outcome.protectedDomain!) === false)
          outcome.reason = notRecorded;
        const threat = found.find(({ protectedDomain }) => protectedDomain === outcome.protectedDomain);
        const threatSeq = threat === undefined ? undefined : store.threatSeqOf(threat.threatId);
        store.save(inspection.seq, { ...outcome, threatSeq: threatSeq ?? null });
        store.add(now, outcome.imitates === true ? "imitation" : "harmless", 1);
        store.add(now, "durationMs", durationMs);
        return found;
      },
      imitates ? { patient: true } : background,
    );
    if (imitates)
      log.event("inspection.imitation_found", {
        domain: first.protectedDomain,
        host: inspection.host,
        score: first.score,
      });
    // Without them, the next lookup determines the facts.
    if (concerned.length > 0)
      await saveFacts(concerned).catch((error: unknown) =>
        logDropped(log, error, "inspection.facts_not_saved"),
      );
  }

  /** Saves the result of an attempt. @param mayRetry whether a failure that may pass queues the inspection again */
  const finish = (
    inspection: QueuedInspection,
    attempted: Finished,
    options: { durationMs: number; mayRetry: boolean },
  ): Promise<void> =>
    attempted.kind === "inspected"
      ? saveResult(inspection, attempted, options.durationMs)
      : saveFailure(inspection, attempted, options);

  return { finish, save };
}

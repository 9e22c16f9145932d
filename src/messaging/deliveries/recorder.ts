import { and, desc, sql } from "drizzle-orm";
import { recipientAction } from "../../access/audit/actions.ts";
import { system } from "../../access/audit/actor.ts";
import type { AuditLog } from "../../access/audit/audit-log.ts";
import type { Needs } from "../../access/audit/needs.ts";
import { hasValue, statement, value, valuesExcept } from "../../platform/database/statement.ts";
import { optionalIsoTime, type Instant } from "../../platform/lib/clock.ts";
import type { Log } from "../../platform/lib/log.ts";
import type { AttemptResult, FailureConsequence } from "./channel.ts";
import type { Attempted, Health } from "./health.ts";
import { subjectOf } from "../../access/entries/administration.ts";
import { createFailureReport, type HealthChange } from "./rules/failure-report.ts";
import { describeFailure } from "./rules/recipient-state.ts";
import { jitterOf, nextAttemptAt, type RetryPolicy } from "./rules/retry-schedule.ts";
import type { DeliveryHours } from "./store/hours.ts";
import { deliveries, deliveryAttempts } from "./store/tables.ts";

/** An attempt that ended and is to be recorded. */
export interface FinishedAttempt {
  recipientSeq: number;
  /** Kind of the recipient's channel. */
  channel: string;
  deliverySeq: number;
  /** Attempts of this delivery, including this one unless it was a probe that failed. */
  attempts: number;
  result: AttemptResult;
  /** Whether it probed a recipient whose deliveries are held. A failure is then not counted. */
  isProbe: boolean;
}

export interface RecordedAttempt extends FinishedAttempt, Attempted {
  /** Time of the next attempt; undefined if there is none. */
  nextAttemptAt: Instant | undefined;
  /** Whether the delivery was deleted with its recipient. */
  isGone: boolean;
}

/** Writes results durably, in groups: a commit waits for the disk equally long for one result or hundreds. */
export type Recorder = ReturnType<typeof createRecorder>;

const groupMax = 1_000;
/**
 * Real time instead of the clock's: it only groups responses that arrive almost together. A commit writes several pages
 * for each recipient, and waits for the disk.
 */
const groupMs = 25;
const retryWriteMs = 1_000;
const waitingMax = 4_000;

interface RecorderDependencies extends Needs<"auditLog" | "clock" | "database" | "log"> {
  policyOf: (channel: string) => RetryPolicy;
  health: Health;
  hours: Pick<DeliveryHours, "add">;
  /** Called after each commit. */
  onRecorded: (attempts: readonly RecordedAttempt[], recipientsChanged: boolean) => void;
}

export function createRecorder(dependencies: RecorderDependencies) {
  const { auditLog, database, clock, log, policyOf, health, hours, onRecorded } = dependencies;
  const write = createAttemptWriter({ database, clock, policyOf });
  const report = createFailureReport();
  let waiting: FinishedAttempt[] = [];
  let closed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let writing: Promise<void> | undefined;

  /** Writes what is waiting at the time of the transaction. Returns whether that succeeded. */
  async function writeGroup(): Promise<boolean> {
    let group: readonly FinishedAttempt[] = [];
    let changes: HealthChange[] = [];
    let recorded: RecordedAttempt[];
    try {
      recorded = await database.write(
        () => {
          group = [...waiting];
          const written = group.map(write);
          // A recipient that was removed in the meantime has no hours.
          hours.add(written.filter(({ isGone }) => !isGone));
          changes = health.update(written, clock.now());
          for (const change of changes) recordDisabled(auditLog, change);
          return written;
        },
        { patient: true },
      );
    } catch (error) {
      // The results stay in memory, and their deliveries are not sent again in the meantime.
      log.event("delivery.results_not_written", { error, results: waiting.length });
      return false;
    }
    waiting = waiting.slice(group.length);
    for (const change of changes) logChange(change);
    onRecorded(recorded, changes.some(changesSchedule));
    return true;
  }

  function logChange(change: HealthChange): void {
    for (const { event, fields } of report.note(change, clock.monotonicMs())) log.event(event, fields);
    logDisabled(log, change);
  }

  async function writeGroups(): Promise<void> {
    let delayMs = groupMs;
    do {
      if (!(await writeGroup())) delayMs = retryWriteMs;
    } while (delayMs === groupMs && waiting.length >= groupMax);
    writing = undefined;
    if (waiting.length > 0 && !closed) timer ??= setTimeout(() => void flush(), delayMs);
  }

  /** Writes the waiting results without waiting for more. */
  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length > 0) writing ??= writeGroups();
    return writing ?? Promise.resolve();
  }

  return {
    add(attempt: FinishedAttempt) {
      if (closed) return;
      waiting.push(attempt);
      if (waiting.length >= groupMax) void flush();
      else if (writing === undefined) timer ??= setTimeout(() => void flush(), groupMs);
    },

    /** Returns whether too many results are waiting to start another attempt: the disk is slow or full. */
    full: () => waiting.length >= waitingMax,

    /** Returns whether no results are waiting. */
    idle: () => waiting.length === 0 && writing === undefined,
    flush,

    /** Flushes and rejects further results. What cannot be written is sent again after the next start. */
    async close() {
      closed = true;
      // A group in progress may have begun before the last results arrived.
      await writing;
      await flush();
    },
  };
}

function recordDisabled(
  auditLog: Pick<AuditLog, "record">,
  { id, name, channel, lastFailure, disabled }: HealthChange,
): void {
  if (disabled === null) return;
  const cause = lastFailure === null ? null : describeFailure(lastFailure);
  const detail = { reason: disabled, cause };
  auditLog.record(system, recipientAction(channel, "disable"), subjectOf({ id, name }), detail);
}

function logDisabled(
  log: Log,
  { id, name, channel, failingSince, lastFailure, disabled }: HealthChange,
): void {
  if (disabled === null) return;
  log.event("recipient.disabled", {
    recipient: id,
    channel,
    name,
    cause: disabled,
    failingSince: optionalIsoTime(failingSince),
    reason: lastFailure === null ? null : describeFailure(lastFailure),
  });
}

type Consequence = FailureConsequence | "none";

/** Returns the effect of an attempt on its delivery; "none" for a success. */
function consequenceOf({ failure, consequence = "retry" }: AttemptResult): Consequence {
  return failure === null ? "none" : consequence;
}

/**
 * Returns the attempts that count for the delivery. One at a recipient that no longer exists says nothing about the
 * delivery, and a probe that is dropped was the last one.
 */
function attemptsAfter({ attempts, isProbe }: FinishedAttempt, consequence: Consequence): number {
  if (consequence === "disable" && !isProbe) return attempts - 1;
  return consequence === "drop" && isProbe ? attempts + 1 : attempts;
}

/** Returns whether the change decides which deliveries may start. */
function changesSchedule({ disabled, nextProbeAt }: HealthChange): boolean {
  return disabled !== null || nextProbeAt !== null;
}

/** Returns a function that writes one attempt and its delivery, in the caller's transaction. */
function createAttemptWriter({
  database,
  clock,
  policyOf,
}: Needs<"clock" | "database"> & { policyOf: (channel: string) => RetryPolicy }): (
  attempt: FinishedAttempt,
) => RecordedAttempt {
  const updateDelivery = statement(database, (query) =>
    query
      .update(deliveries)
      .set({
        status: value(deliveries.status),
        attempts: value(deliveries.attempts),
        nextAttemptAt: value(deliveries.nextAttemptAt),
        completedAt: value(deliveries.completedAt),
      })
      .where(hasValue(deliveries.seq)),
  );
  const lastDue = statement(database, (query) =>
    query
      .select({ at: deliveries.nextAttemptAt })
      .from(deliveries)
      .where(and(hasValue(deliveries.recipientSeq), sql`${deliveries.status} = 'pending'`))
      .orderBy(desc(deliveries.nextAttemptAt))
      .limit(1),
  );
  const insertAttempt = statement(database, (query) =>
    query.insert(deliveryAttempts).values(valuesExcept(deliveryAttempts, "seq")),
  );

  /** Returns undefined if there is no further attempt. */
  function nextOf(
    { recipientSeq, channel, deliverySeq, attempts, result, isProbe }: FinishedAttempt,
    consequence: Consequence,
    now: Instant,
  ): Instant | undefined {
    if (consequence === "none" || consequence === "drop") return undefined;
    if (consequence === "disable") return now;
    // Behind all other deliveries, some of which may wait for a retry: the next probe sends another one.
    if (isProbe) return Math.max(now, lastDue.get({ recipientSeq })?.at ?? 0) + 1;
    const { retryAfterMs } = result;
    const policy = policyOf(channel);
    const random = jitterOf(deliverySeq, attempts);
    return nextAttemptAt({ policy, attempts, endedAt: now, retryAfterMs, random });
  }

  return (attempt) => {
    const { deliverySeq, result } = attempt;
    const now = clock.now();
    const consequence = consequenceOf(result);
    const attempts = attemptsAfter(attempt, consequence);
    const next = nextOf({ ...attempt, attempts }, consequence, now);
    const status = result.failure === null ? "succeeded" : next === undefined ? "failed" : "pending";
    const changed = updateDelivery.run({
      seq: deliverySeq,
      status,
      attempts,
      nextAttemptAt: next ?? null,
      completedAt: next === undefined ? now : null,
    });
    // The recipient was removed in the meantime, with its deliveries.
    if (changed === 0) return { ...attempt, nextAttemptAt: undefined, gaveUp: false, isGone: true };
    insertAttempt.run({ deliverySeq, ...result });
    return { ...attempt, nextAttemptAt: next, gaveUp: status === "failed", isGone: false };
  };
}

import type { Actor } from "../../access/audit/actor.ts";
import type { Needs } from "../../platform/database/needs.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import type { Recipients } from "./recipients.ts";
import type { Replay } from "./replay.ts";
import type { ThreatSnapshot } from "../../threats/events/event-filter.ts";
import type { EventType } from "../../platform/vocabulary/events.ts";

/** Numbers of deliveries that one recipient has not received. */
export interface Unsent {
  /** Deliveries that failed for good. */
  failed: number;
  /** Deliveries that wait for their next attempt. */
  queued: number;
}

/** Sends one recipient everything that it was not delivered, without waiting for the schedule. */
export type SendAll = ReturnType<typeof createSendAll>;

/** Deliveries per transaction, so that other work gets its turn. */
const rowsPerStep = 1_000;

interface SendAllDependencies extends Needs<"clock" | "database"> {
  /** Called after each commit that made deliveries due. */
  onDue: () => void;
  recipients: Pick<Recipients, "get" | "update">;
  replay: Pick<Replay, "run">;
}

export function createSendAll({ clock, database, onDue, recipients, replay }: SendAllDependencies) {
  const { prepare } = database;
  const countStatus = prepare<{ total: number }, [{ seq: number; status: string; max: number }]>(
    `select count(*) as total from
       (select 1 from deliveries where recipient_seq = $seq and status = $status limit $max)`,
  );
  const bringForward = prepare<unknown, [{ seq: number; now: Instant }]>(
    `update deliveries set next_attempt_at = $now where seq in
       (select seq from deliveries where recipient_seq = $seq and status = 'pending' and next_attempt_at > $now
        limit ${rowsPerStep})`,
  );
  /** Counts up to `max` of each. */
  const count = (seq: number, max: number): Unsent => {
    const of = (status: string) => countStatus.get({ seq, status, max })!.total;
    return { failed: of("failed"), queued: of("pending") };
  };

  /** Returns whether there may be more deliveries to bring forward. */
  function hurryStep(recipientId: string): boolean {
    const recipient = recipients.get(recipientId);
    const now = clock.now();
    if (recipient.nextProbeAt !== null) {
      recipients.update(recipient, { nextProbeAt: Math.min(recipient.nextProbeAt, now) });
      return false;
    }
    const changes = bringForward.run({ seq: recipient.seq, now });
    if (changes > 0) database.afterCommit(onDue);
    return changes === rowsPerStep;
  }

  return {
    count,
    /**
     * Makes all failed deliveries pending, and all pending ones due now. While the breaker holds them, the next probe is
     * due now instead, and a success releases the others.
     * @returns the numbers of deliveries
     * @throws PublicError `not_found`; `bad_request` for a disabled recipient
     */
    async run(recipientId: string, { by }: { by: Actor }): Promise<Unsent> {
      const { queued } = count(recipients.get(recipientId).seq, Number.MAX_SAFE_INTEGER);
      // Also records that it was asked for, if only queued deliveries are to be sent.
      const failed = await replay.run({ which: "failed", recipient: recipientId, since: 0 }, { by });
      while (await database.write(() => hurryStep(recipientId), { patient: true }));
      return { failed, queued };
    },
  };
}

/**
 * Sees everything that recipients can subscribe to. Called in the transaction of the fan-out, once for each event that it
 * wants and each escalation, in order. Must be fast: a step of the fan-out has hundreds of them. An error rolls the step back,
 * and the step is repeated later.
 */
export interface EventObserver {
  /** Returns whether events of this type matter now: their threats are read only then, which takes up to 20 µs each. */
  wants(type: EventType): boolean;
  observe(change: ObservedChange): void;
}

export type ObservedChange =
  /** `threat` is the present state of the threat that the event is about; null: none, or none that is on record. */
  | { kind: "event"; type: EventType; at: Instant; body: string; threat: ThreatSnapshot | null }
  /** The severity of the threat rose, or it became verified or active again. */
  | { kind: "escalation"; at: Instant; threat: ThreatSnapshot };

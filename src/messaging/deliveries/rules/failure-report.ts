import type { LogEventFields } from "../../../platform/lib/log-events/catalogue.ts";
import { type DisabledReason, describeFailure, type LastFailure } from "./recipient-state.ts";

/** Effect of a group of recorded attempts on one recipient. Times are milliseconds since the Unix epoch. */
export interface HealthChange {
  id: string;
  name: string;
  /** Kind of its channel. */
  channel: string;
  /** Consecutive failures before and after. */
  failuresBefore: number;
  failures: number;
  failingSince: number | null;
  /** Null after a success. */
  lastFailure: LastFailure | null;
  /** Deliveries of the group that failed for good. */
  gaveUp: number;
  /** Time of the next probe if the breaker holds the deliveries. */
  nextProbeAt: number | null;
  /** Why it was disabled: every attempt has failed for too long, or the receiver no longer exists; null: it was not. */
  disabled: Extract<DisabledReason, "failing" | "gone"> | null;
}

type ReportEvent = "recipient.failing" | "recipient.recovered" | "delivery.given_up";
export type ReportLine = {
  [Name in ReportEvent]: { event: Name; fields: LogEventFields<Name> };
}[ReportEvent];

/** A recipient that begins to fail again within this time is not logged again: it may fail every other second. */
const beginsEveryMs = 10 * 60_000;
/** Deliveries that are given up are counted for this long before the next line. */
const givesUpEveryMs = 60 * 60_000;

interface Known {
  /** Whether the present failure was logged, or began before this process. */
  announced: boolean;
  announcedAtMs: number;
  /** Deliveries given up since the last line about them, and since the recipient began to fail. */
  unreported: number;
  gaveUp: number;
  gaveUpAtMs: number;
}

/** Decides which changes of a recipient's health are logged. */
export function createFailureReport() {
  // At most one entry for each recipient.
  const known = new Map<string, Known>();

  return {
    /** @param nowMs monotonic time */
    note(change: HealthChange, nowMs: number) {
      const { id, name, channel, failures, failuresBefore, lastFailure } = change;
      const state = known.get(id) ?? {
        announced: failuresBefore > 0,
        announcedAtMs: Number.NEGATIVE_INFINITY,
        unreported: 0,
        gaveUp: 0,
        gaveUpAtMs: Number.NEGATIVE_INFINITY,
      };
      known.set(id, state);
      const lines: ReportLine[] = [];
      const subject = { recipient: id, channel, name };
      const reason = lastFailure === null ? "" : describeFailure(lastFailure);
      if (failuresBefore > 0 && failures === 0) {
        if (state.announced)
          lines.push({
            event: "recipient.recovered",
            fields: { ...subject, failures: failuresBefore, gaveUp: state.gaveUp },
          });
        Object.assign(state, { announced: false, unreported: 0, gaveUp: 0 });
        return lines;
      }
      if (failures > 0 && !state.announced && nowMs - state.announcedAtMs >= beginsEveryMs) {
        Object.assign(state, { announced: true, announcedAtMs: nowMs });
        lines.push({ event: "recipient.failing", fields: { ...subject, reason } });
      }
      state.unreported += change.gaveUp;
      state.gaveUp += change.gaveUp;
      if (state.unreported > 0 && nowMs - state.gaveUpAtMs >= givesUpEveryMs) {
        const deliveries = state.unreported;
        lines.push({ event: "delivery.given_up", fields: { ...subject, deliveries, reason } });
        Object.assign(state, { unreported: 0, gaveUpAtMs: nowMs });
      }
      return lines;
    },
  };
}

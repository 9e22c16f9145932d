import type { ConditionPage } from "../../messaging/content/texts/system-texts.ts";
import type { SystemEventType } from "../../platform/vocabulary/events.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import type { SystemMessage } from "../../messaging/subscriptions/system-messages.ts";
import type { StoredCondition } from "./tables.ts";

/** A state of the appliance that people may want to know about, such as a feed that stopped. */
export interface Condition {
  type: SystemEventType;
  /** Names its subject: the same as long as the subject exists, also after a restart. */
  key: string;
  /** `unknown`: nothing can be said at present, such as shortly after the start. */
  state: "holds" | "clear" | "unknown";
  /** Sent once when it begins, and once when it ends. */
  began: ConditionText;
  ended: ConditionText;
  /** How long it has to hold before anything is sent, because it may pass. Default: 0. */
  graceMs?: number;
  /** Where its subject is shown; absent: on the system page. */
  page?: ConditionPage;
  /** `seq` of the recipient that it is about, which cannot be sent anything. */
  exceptRecipient?: number;
}

export interface ConditionText {
  /** One line, without a period. */
  title: string;
  /** Sentences: what happened, and what to do. */
  text: string;
}

/** Something that is replaced from time to time. Each new version is sent once; the first one is not. */
export interface News extends ConditionText {
  type: SystemEventType;
  key: string;
  /** Identifies the version. */
  version: string;
  page?: ConditionPage;
}

export interface Comparison {
  save: StoredCondition[];
  /** Keys. */
  remove: string[];
  send: SystemMessage[];
}

/**
 * Compares what was stored with what holds now. A stored condition whose subject no longer exists ends without a message,
 * and one of which nothing is known at present stays as it is. Keys must be unique.
 */
export function compare({
  stored,
  conditions,
  news,
  now,
}: {
  stored: readonly StoredCondition[];
  conditions: readonly Condition[];
  news: readonly News[];
  now: Instant;
}): Comparison {
  const known = new Map(stored.map((one) => [one.key, one]));
  const result: Comparison = { save: [], remove: [], send: [] };
  const message = (from: Condition, phase: "began" | "ended"): SystemMessage => ({
    type: from.type,
    key: from.key,
    phase,
    ...from[phase],
    page: from.page,
    at: now,
    exceptRecipient: from.exceptRecipient,
  });

  for (const condition of conditions) {
    const { key, type } = condition;
    const before = known.get(key);
    known.delete(key);
    if (condition.state === "holds") {
      const since = before?.since ?? now;
      // Since the clock was set back, it is not known for how long it has held.
      const isOver = now - since >= (condition.graceMs ?? 0) || since > now;
      const isDue = isOver && (before?.sentAt ?? null) === null;
      if (isDue) result.send.push(message(condition, "began"));
      if (before === undefined || isDue)
        result.save.push({ key, type, since, sentAt: isDue ? now : null, version: null });
    } else if (condition.state === "clear" && before !== undefined) {
      if (before.sentAt !== null) result.send.push(message(condition, "ended"));
      result.remove.push(key);
    }
  }
  for (const { version, ...one } of news) {
    const { key, type } = one;
    const before = known.get(key);
    known.delete(key);
    if (before?.version === version) continue;
    if (before !== undefined) result.send.push({ ...one, phase: null, at: now });
    result.save.push({ key, type, since: now, sentAt: null, version });
  }
  // The others were not observed. A condition ends with its subject; the subject of news may only be unavailable.
  for (const { key, version } of known.values()) if (version === null) result.remove.push(key);
  return result;
}

import { recipientActions, type AuditAction } from "../../access/audit/actions.ts";
import type { AuditLog } from "../../access/audit/audit-log.ts";
import type { Needs } from "../../platform/database/needs.ts";
import type { Config } from "../../platform/config/config.ts";
import type { Outbox } from "../../threats/events/outbox.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import { createThreatSnapshots } from "../../threats/threats/store/snapshots.ts";
import { messageEventType } from "../../platform/vocabulary/events.ts";
import type { Channel } from "./channel.ts";
import { createDeliveryLog, type DeliveryLog } from "./delivery-log.ts";
import { createDispatcher, type Dispatcher } from "./dispatcher.ts";
import { createDueDeliveries } from "./due.ts";
import { createFanOut } from "./fan-out.ts";
import { createAddressedEvents } from "./store/addressed-events.ts";
import { createAnnouncements, type Announcements } from "./store/announcements.ts";
import { createHealth } from "./health.ts";
import type { Send } from "./attempts.ts";
import { createRecipients, type Recipients } from "./recipients.ts";
import { createRecorder } from "./recorder.ts";
import { createRelease } from "./store/release.ts";
import { createReplay, type Replay } from "./replay.ts";
import { createRetention, type Retention } from "./retention.ts";
import { createSendAll, type SendAll, type EventObserver } from "./send-all.ts";
import { createFailureSummary, type FailureSummary } from "./store/failure-summary.ts";
import { createDeliveryTotals, type DeliveryTotal, createOldestPending } from "./store/totals.ts";
import { createDeliveryHours, type DeliveryHours } from "./store/hours.ts";
import { extended, type RetryPolicy } from "./rules/retry-schedule.ts";

/** Settings of `webhooks`. Read when they are needed, because they can change. */
export type DeliverySettings = Pick<
  Config["webhooks"],
  "breaker" | "disableAfterMs" | "endpointConcurrency" | "retryJitter"
> & { retryDelaysMs: readonly number[] };

/** Sends messages to one recipient each. */
export interface Messages {
  /**
   * Records a message and its delivery, which is due now, in the caller's transaction. A disabled recipient is sent it
   * when it is enabled.
   * @param message.body JSON, which the channel turns into a request
   * @param message.id identifier of the message's event, if the body contains it; default: a new one
   * @returns the identifier of the event
   */
  send(message: { id?: string; recipientSeq: number; body: string }): string;
}

/** Delivers events to recipients over any channel: fan-out, queues, retries, log, replay and retention. */
export interface Deliveries {
  recipients: Recipients;
  log: DeliveryLog;
  /** Returns the number of attempts of this process by recipient (its name) and result. */
  attemptTotals(): AttemptTotal[];
  /**
   * Counts deliveries by recipient (its name) and status; if there are very many, as of the previous
   * call, and none in the first one.
   */
  totals(): DeliveryTotal[];
  /** Returns when the oldest pending delivery of each enabled recipient (its name) was created. */
  oldestPending(): { recipient: string; createdAt: Instant | null }[];
  dispatcher: Dispatcher;
  replay: Replay;
  sendAll: SendAll;
  failures: FailureSummary;
  hours: Pick<DeliveryHours, "lastDay">;
  retention: Retention;
  messages: Messages;
  announcements: Announcements;
  /** Calls `observer` for each event and escalation. To be called before `start`. */
  observe(observer: EventObserver): void;
  /** Returns advice on how to fix a failed attempt. */
  failureAdvice(channel: string, failure: string): string | undefined;
  /** Returns the maximum number of attempts of a delivery on a channel. */
  attemptsMax(channel: string): number;
  /** Returns the name of one recipient of a channel, such as "webhook endpoint". */
  nounOf(channel: string): string;
  /** Returns the actions on recipients that the audit log may contain. */
  auditActions(): AuditAction[];
  /** Starts to deliver and to delete old events and deliveries. */
  start(): void;
  /** Waits up to 10 seconds for attempts in flight. */
  stop(): Promise<void>;
}

interface DeliveriesDependencies extends Needs<"clock" | "database" | "ids" | "log"> {
  auditLog: AuditLog;
  channels: readonly Channel[];
  outbox: Outbox;
  /** Maximum number of concurrent attempts for all recipients together. */
  requestsMax: number;
  retention: Pick<Config["retention"], "deliveriesMs" | "eventsMs">;
  settings: DeliverySettings;
}

export function createDeliveries(dependencies: DeliveriesDependencies): Deliveries {
  const { auditLog, channels: channelList, clock, database, ids, log, outbox } = dependencies;
  const { requestsMax, retention: kept, settings } = dependencies;
  const channels = new Map(channelList.map((channel) => [channel.kind, channel]));
  const recipients = createRecipients({ channels, clock, database });
  const { longest, policyOf } = policiesOf(channelList, settings);
  const health = createHealth({ database, settings });
  const addAddressed = createAddressedEvents({ clock, database, ids });
  const announcements = createAnnouncements(database);
  const observers: EventObserver[] = [];
  const hours = createDeliveryHours(database);
  const attempts = createAttemptCounter();
  const recording = { auditLog, clock, database, health, hours, log, policyOf };
  const subscribingChannels = kindsSentEvents(channelList);
  const defaultRate = (kind: string) => channels.get(kind)?.ratePerSecond ?? null;
  const dispatcher = createDispatcher({
    clock,
    createRecorder: (onRecorded) =>
      createRecorder({
        ...recording,
        onRecorded(recorded, recipientsChanged) {
          attempts.add(recorded);
          onRecorded(recorded, recipientsChanged);
        },
      }),
    database,
    due: createDueDeliveries({ database, defaultRate }),
    fanOut: createFanOut({
      addAddressed,
      announcements,
      clock,
      database,
      ids,
      observers,
      snapshots: createThreatSnapshots(database),
      subscribingChannels,
    }),
    log,
    outbox,
    policy: longest,
    recipients,
    release: createRelease({ database, settings }),
    requestsMax,
    settings,
    send: senderOver(channels),
  });
  const deliveryLog = createDeliveryLog({ database });
  const totals = createDeliveryTotals({ database, log });
  const onDue = dispatcher.wake;
  const retention = createRetention({ channels, clock, database, hours, log, settings: kept });
  const replay = createReplay({
    auditLog,
    clock,
    database,
    ids,
    log: deliveryLog,
    onDue,
    subscribingChannels,
  });
  return {
    recipients,
    log: deliveryLog,
    attemptTotals: () => attempts.totals(recipients.listAll()),
    totals: totals.read,
    oldestPending: createOldestPending(database),
    dispatcher,
    replay,
    sendAll: createSendAll({ clock, database, onDue, recipients, replay }),
    failures: createFailureSummary(database),
    hours,
    retention,
    messages: {
      send({ id = ids.next("event"), recipientSeq, body }) {
        addAddressed({ id, recipientSeq, type: messageEventType, body });
        database.afterCommit(() => dispatcher.noteDue(recipientSeq));
        return id;
      },
    },
    announcements,
    observe: (observer) => void observers.push(observer),
    failureAdvice: (channel, failure) => channels.get(channel)?.failures[failure],
    attemptsMax: (channel) => policyOf(channel).delaysMs.length + 1,
    nounOf: (channel) => channels.get(channel)?.recipients.noun ?? "recipient",
    auditActions: () => channelList.flatMap(({ kind }) => recipientActions(kind)),
    start: () => [dispatcher, retention].forEach((service) => service.start()),
    stop: () => stopAll([dispatcher, retention, totals], channelList),
  };
}

async function stopAll(
  services: readonly { stop(): Promise<void> }[],
  channels: readonly Channel[],
): Promise<void> {
  const stopped = Promise.all(services.map((service) => service.stop()));
  // From here on the dispatcher starts no attempt, so an aborted one is not started again at once.
  for (const channel of channels) channel.abortUnsent?.();
  await stopped;
  for (const channel of channels) channel.close?.();
}

function kindsSentEvents(channels: readonly Channel[]): ReadonlySet<string> {
  return new Set(channels.flatMap(({ kind, subscribesToEvents }) => (subscribesToEvents ? [kind] : [])));
}

function senderOver(channels: ReadonlyMap<string, Channel>): Send {
  return ({ channel: kind, target }, message, signal) => {
    const channel = channels.get(kind);
    if (channel === undefined) throw new Error(`no channel ${kind}`);
    return channel.send(target, message, signal);
  };
}

/** `gave_up`: the attempt failed, and it was the last one of its delivery. */
const attemptOutcomes = ["ok", "failed", "gave_up"] as const;
type AttemptOutcome = (typeof attemptOutcomes)[number];

interface AttemptTotal {
  /** Name of the recipient. */
  recipient: string;
  result: AttemptOutcome;
  total: number;
}

interface Ended {
  recipientSeq: number;
  result: { failure: string | null };
  gaveUp: boolean;
}

/** Counts attempts by recipient since the start of the process. */
function createAttemptCounter() {
  // At most one entry for each recipient.
  const counts = new Map<number, Record<AttemptOutcome, number>>();

  return {
    add(attempts: readonly Ended[]): void {
      for (const { recipientSeq, result, gaveUp } of attempts) {
        const own = counts.get(recipientSeq) ?? { ok: 0, failed: 0, gave_up: 0 };
        own[result.failure === null ? "ok" : gaveUp ? "gave_up" : "failed"] += 1;
        counts.set(recipientSeq, own);
      }
    },
    /** Recipients that were deleted are left out. */
    totals: (recipients: readonly { seq: number; name: string }[]): AttemptTotal[] =>
      recipients.flatMap(({ seq, name: recipient }) =>
        attemptOutcomes.map((result) => ({ recipient, result, total: counts.get(seq)?.[result] ?? 0 })),
      ),
  };
}

/** Returns the present policy of each channel, and the longest one. All agree as far as the shorter ones go. */
function policiesOf(
  channels: readonly { kind: string; retriesForMs?: number }[],
  settings: Pick<DeliverySettings, "retryDelaysMs" | "retryJitter">,
): { longest: () => RetryPolicy; policyOf: (kind: string) => RetryPolicy } {
  let known: { usual: RetryPolicy; policies: Map<string, RetryPolicy> } | undefined;
  const present = () => {
    const { retryDelaysMs: delaysMs, retryJitter: jitter } = settings;
    if (known?.usual.delaysMs === delaysMs && known.usual.jitter === jitter) return known;
    const usual: RetryPolicy = { delaysMs, jitter };
    const policies = new Map(
      channels.map(({ kind, retriesForMs = 0 }) => [kind, extended(usual, retriesForMs)]),
    );
    return (known = { usual, policies });
  };
  return {
    longest() {
      const { usual, policies } = present();
      return [...policies.values()].reduce(
        (first, second) => (second.delaysMs.length > first.delaysMs.length ? second : first),
        usual,
      );
    },
    policyOf(kind) {
      const { usual, policies } = present();
      return policies.get(kind) ?? usual;
    },
  };
}

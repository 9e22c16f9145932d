import type { AuditDetail } from "../../access/audit/actions.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import type { EventType } from "../../platform/vocabulary/events.ts";

/** A way to send messages, such as webhooks. Each recipient belongs to one channel. */
export interface Channel<Target = unknown> {
  /** Name of the channel, stored with each recipient. Begins the names of its actions in the audit log. */
  readonly kind: string;
  /** How recipients of the channel are named, compared and described. */
  readonly recipients: RecipientTraits<Target>;
  /**
   * Whether its recipients are sent the events that they subscribe to. If not, they are only sent messages that are
   * addressed to them.
   */
  readonly subscribesToEvents: boolean;
  /** The channel's failure codes, each with advice on how to fix the problem. */
  readonly failures: Readonly<Record<string, string>>;
  /**
   * How long a message is sent again at the last delay of the retry schedule, beyond its end; undefined: not beyond it.
   * For people, who do not notice on their own that a message is missing.
   */
  readonly retriesForMs?: number;
  /** Attempts per second of recipients that set no rate of their own; undefined: no limit. */
  readonly ratePerSecond?: number;
  /**
   * Checks where and how messages are to be sent, and returns it in its normal form.
   * @throws PublicError `bad_request` with what to change
   */
  validate(target: Target): Target;
  /** Makes one attempt, or returns why there was none. */
  send(target: Target, message: Message, signal?: AbortSignal): Promise<AttemptResult | NotAttempted>;
  /** Returns the target without what has expired (a replaced secret), or the same object if nothing has. */
  withoutExpired?(target: Target, now: Instant): Target;
  /** Aborts the attempts of which nothing was sent yet, so that they do not delay shutdown. */
  abortUnsent?(): void;
  /** Closes connections that are kept open. */
  close?(): void;
}

/** Names, compares and describes the recipients of one channel, for their administration. */
export interface RecipientTraits<Target = unknown> {
  /** Name of one recipient in messages and on pages, in lowercase, such as "webhook endpoint". */
  readonly noun: string;
  /** Prefix of identifiers: three letters that no other kind of object has. */
  readonly idPrefix: string;
  /** Key of the configuration file under which recipients are declared. */
  readonly configKey: string;
  /** Properties of the target whose changes the audit log names. Leaves out secrets. */
  readonly auditedProperties: readonly string[];
  /** Returns the address: a recipient that was disabled for failing is enabled if the file declares another one. */
  addressOf(target: Target): string;
  /** Returns details of a recipient for the audit log, without what may be secret. */
  describe(recipient: { target: Target; events: readonly EventType[] }): AuditDetail;
  /** Returns whether the secret was replaced, which the audit log records as a rotation. */
  isRotated?(before: Target, after: Target): boolean;
}

/** An event on its way to a recipient. */
export interface Message {
  /** Identifier of the event, the same in every attempt. */
  id: string;
  /** The event as JSON, serialized once: the same bytes in every attempt. */
  body: string;
}

/**
 * Why there was no attempt, which says nothing about the recipient: it was aborted, or this process has no file
 * descriptor left.
 */
export type NotAttempted = "aborted" | "no_descriptor";

/**
 * Effect of a failed attempt. `retry`: it is repeated on the schedule. `drop`: the delivery fails at once, because the
 * service will never accept this message. `disable`: the recipient is disabled at once, because it no longer exists or
 * its secret was revoked; the delivery stays pending until the recipient is enabled.
 */
export type FailureConsequence = "retry" | "drop" | "disable";

/** Outcome of one attempt. */
export interface AttemptResult {
  startedAt: Instant;
  durationMs: number;
  /** One of the channel's failure codes; null on success. */
  failure: string | null;
  /** Readable reason of the failure; null on success. */
  error: string | null;
  /** Start of the response, escaped for display; empty if there was none. */
  response: string;
  /** Status code of the response; null if there was none. */
  statusCode: number | null;
  /** Address that the connection went to; null if there was none. */
  address: string | null;
  /** Durations of the parts of the attempt in milliseconds, by name. */
  phases: Readonly<Record<string, number>>;
  /** Effect of a failure; default: `retry`. */
  consequence?: FailureConsequence;
  /** Delay that the recipient asked for before the next attempt. */
  retryAfterMs: number | undefined;
  /** Time for which the recipient is sent nothing else either, because it limits the rate. */
  pauseMs?: number;
}

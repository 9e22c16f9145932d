import { describeFailure, type LastFailure } from "./last-failure.ts";

export const disabledReasons = ["operator", "undeclared", "failing", "gone"] as const;
export type DisabledReason = (typeof disabledReasons)[number];

/** Why a recipient is disabled, in words. */
export const disabledBecause: Readonly<Record<DisabledReason, string>> = {
  operator: "paused by a person",
  undeclared: "no longer in the configuration file",
  failing: "every delivery failed",
  gone: "the receiver no longer exists or rejects its secret",
};

/** Returns whether phishwatch disabled the recipient because of the receiver's responses, or of the lack of them. */
export function isDisabledForFailing(reason: DisabledReason | null): reason is "failing" | "gone" {
  return reason === "failing" || reason === "gone";
}

/** Fields of a recipient that decide its state. Times are milliseconds since the Unix epoch. */
export interface StateFields {
  enabled: boolean;
  consecutiveFailures: number;
  lastFailure: LastFailure | null;
  nextProbeAt: number | null;
}

/**
 * State of a recipient: `held` if the breaker holds its deliveries, `failing` if the last attempt failed, `enabled` if
 * neither.
 */
export type RecipientState = "enabled" | "failing" | "held" | "disabled";

export function recipientState({ enabled, consecutiveFailures, nextProbeAt }: StateFields): RecipientState {
  if (!enabled) return "disabled";
  if (nextProbeAt !== null && consecutiveFailures > 0) return "held";
  return consecutiveFailures > 0 ? "failing" : "enabled";
}

/** Returns why the last attempt failed, in one line, or null if it succeeded or none was made. */
export function causeOf({ lastFailure }: Pick<StateFields, "lastFailure">): string | null {
  return lastFailure === null ? null : describeFailure(lastFailure);
}

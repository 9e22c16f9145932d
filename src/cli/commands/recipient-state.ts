import type { Recipient } from "../../messaging/deliveries/recipients.ts";
import { causeOf, recipientState } from "../../messaging/deliveries/rules/recipient-state.ts";
import { optionalIsoTime } from "../../platform/lib/clock.ts";
import { shortTime } from "../terminal/table.ts";

/** The parts of a recipient that tell how it is doing. */
type Stated = Omit<Recipient, "channel" | "target" | "events">;

/** Returns the state of a recipient for people. */
export function stateText(recipient: Stated): string {
  const { disabledReason, consecutiveFailures, nextProbeAt } = recipient;
  const failures = `${consecutiveFailures} in a row`;
  switch (recipientState(recipient)) {
    case "disabled":
      return disabledReason === null ? "disabled" : `disabled (${disabledReason})`;
    case "held":
      return `held (${failures}), next probe ${nextProbeAt === null ? "soon" : shortTime(nextProbeAt)}`;
    case "failing":
      return `failing (${failures})`;
    case "enabled":
      return "enabled";
  }
}

/** Returns the origin of an entry for people. */
export function originText({ origin }: { origin: "file" | "runtime" }): string {
  return origin === "file" ? "configuration" : "added";
}

/** Returns the state of a recipient for command output; programs read its field names. */
export function stateShape(recipient: Stated) {
  return {
    enabled: recipient.enabled,
    disabled_reason: recipient.disabledReason,
    consecutive_failures: recipient.consecutiveFailures,
    failing_since: optionalIsoTime(recipient.failingSince),
    state: recipientState(recipient),
    cause: causeOf(recipient),
    next_probe_at: optionalIsoTime(recipient.nextProbeAt),
  };
}

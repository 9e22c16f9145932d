import { originText, stateText, type EntryFact } from "../../../access/entries/presentation.ts";
import { jsonFields } from "../../../platform/lib/key-names.ts";
import { optionalIsoTime, toIsoTime } from "../../../platform/lib/clock.ts";
import type { Recipient } from "../recipients.ts";
import { causeOf, recipientState } from "../rules/recipient-state.ts";

/** The parts of a recipient that describe its state. */
type StatedRecipient = Omit<Recipient, "channel" | "target" | "events">;

/** Returns the state of a recipient for people. */
function recipientStateText(recipient: StatedRecipient): string {
  const { consecutiveFailures, nextProbeAt } = recipient;
  const failures = `${consecutiveFailures} in a row`;
  const state = recipientState(recipient);
  if (state === "failing") return `failing (${failures})`;
  if (state !== "held") return stateText(recipient);
  const probe = nextProbeAt === null ? "soon" : toIsoTime(nextProbeAt).slice(0, 16).replace("T", " ");
  return `held (${failures}), next probe ${probe}`;
}

/** Last columns of a list of recipients. */
export const stateColumns = [
  { title: "from", cell: originText },
  { title: "state", cell: recipientStateText },
  { title: "cause", cell: causeOf, elastic: true },
];

/** Facts about the state of a recipient. */
export function stateFacts(recipient: StatedRecipient): EntryFact[] {
  return [
    ["from", originText(recipient)],
    ["state", recipientStateText(recipient)],
    ["failing since", optionalIsoTime(recipient.failingSince)],
    ["cause", causeOf(recipient)],
  ];
}

/** Returns the state of a recipient in the JSON form of commands. Programs read its names. */
export function stateJson(recipient: StatedRecipient) {
  return {
    ...jsonFields(recipient, "enabled disabledReason consecutiveFailures"),
    failing_since: optionalIsoTime(recipient.failingSince),
    state: recipientState(recipient),
    cause: causeOf(recipient),
    ...jsonFields(recipient, "nextProbeAt"),
  };
}

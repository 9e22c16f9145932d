import type { Recipient } from "../../../../messaging/deliveries/recipients.ts";
import {
  disabledBecause,
  isDisabledForFailing,
  recipientState,
} from "../../../../messaging/deliveries/rules/recipient-state.ts";
import { Time } from "../../kit/components.tsx";
import { StateMark } from "../../kit/marks.tsx";
import { causeText } from "./outcome.ts";

/** Fields of a recipient that its state shows. */
type StateShown = Pick<
  Recipient,
  | "enabled"
  | "disabledReason"
  | "disabledAt"
  | "consecutiveFailures"
  | "failingSince"
  | "lastFailure"
  | "nextProbeAt"
>;

/** Whether a recipient is enabled, and whether its deliveries succeed; the cause on a second line. */
export function RecipientState({ recipient }: { recipient: StateShown }) {
  const { disabledReason, disabledAt, failingSince, lastFailure, nextProbeAt } = recipient;
  const state = recipientState(recipient);
  if (state === "enabled") return <StateMark tone="good">Enabled</StateMark>;
  const cause = lastFailure === null ? "" : causeText(lastFailure);
  if (state === "disabled")
    return (
      <>
        <StateMark tone={isDisabledForFailing(disabledReason) ? "bad" : "neutral"} icon="pause">
          Disabled
        </StateMark>
        <p class="hide-s">
          {disabledBecause[disabledReason ?? "operator"]}
          {disabledAt === null ? null : (
            <>
              , <Time at={disabledAt} relative />
            </>
          )}
        </p>
      </>
    );
  return (
    <>
      <StateMark tone="bad">{state === "held" ? "Held" : "Failing"}</StateMark>
      <p class="hide-s">
        {failingSince === null ? null : (
          <>
            began <Time at={failingSince} relative />
            {cause === "" ? "" : ": "}
          </>
        )}
        {cause}
        {state === "held" && nextProbeAt !== null ? (
          <>
            . Next attempt <Time at={nextProbeAt} relative="next" />
          </>
        ) : null}
      </p>
    </>
  );
}

import type { Recipient } from "../../../deliveries/recipients.ts";
import {
  causeOf,
  disabledBecause,
  isDisabledForFailing,
  recipientState,
} from "../../../deliveries/rules/recipient-state.ts";
import { grouped } from "../../../lib/wording.ts";
import { Time } from "../../kit/components.tsx";
import { StateMark } from "../../kit/marks.tsx";
import { Text } from "../../kit/name.tsx";

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

/** Whether a recipient is enabled, and whether its deliveries succeed. */
export function RecipientState({ recipient }: { recipient: StateShown }) {
  const { disabledReason, disabledAt, consecutiveFailures, failingSince, nextProbeAt } = recipient;
  const state = recipientState(recipient);
  const cause = causeOf(recipient);
  const causeShown =
    cause === null ? null : (
      <div class="hint">
        <Text text={cause} charactersMax={200} />
      </div>
    );
  if (state === "disabled")
    return (
      <>
        <StateMark tone={isDisabledForFailing(disabledReason) ? "bad" : "neutral"}>disabled</StateMark>{" "}
        <span class="hint">
          {disabledBecause[disabledReason ?? "operator"]}
          {disabledAt === null ? null : (
            <>
              , <Time at={disabledAt} relative />
            </>
          )}
        </span>
        {isDisabledForFailing(disabledReason) ? causeShown : null}
      </>
    );
  if (state === "enabled") return <StateMark tone="good">enabled</StateMark>;
  return (
    <>
      <StateMark tone="bad">{state}</StateMark>{" "}
      <span class="hint">
        {grouped(consecutiveFailures)} in a row
        {failingSince === null ? null : (
          <>
            , first <Time at={failingSince} relative />
          </>
        )}
        {state === "failing" || nextProbeAt === null ? null : (
          <>
            , next probe <Time at={nextProbeAt} relative="next" />
          </>
        )}
      </span>
      {causeShown}
    </>
  );
}

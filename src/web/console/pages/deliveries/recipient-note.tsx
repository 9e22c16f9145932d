import type { Recipient } from "../../../../messaging/deliveries/recipients.ts";
import {
  disabledBecause,
  isDisabledForFailing,
  recipientState,
} from "../../../../messaging/deliveries/rules/recipient-state.ts";
import {
  failedCountedMax,
  type FailedDeliveries,
} from "../../../../messaging/deliveries/store/failure-summary.ts";
import { grouped } from "../../../../platform/lib/wording.ts";
import { LinkButton, Time } from "../../kit/components.tsx";
import { PostButton } from "../../kit/form.tsx";
import { Note } from "../../kit/marks.tsx";
import type { PageServices } from "../../shell/services.ts";
import { atMost } from "./day-stats.tsx";
import { causeText, failureTexts } from "./outcome.ts";

/** Names of a recipient and of what it is sent. */
export interface RecipientWords {
  /** `endpoint`, `channel` */
  recipient: string;
  one: string;
  many: string;
}

export const endpointWords: RecipientWords = { recipient: "endpoint", one: "delivery", many: "deliveries" };
export const channelWords: RecipientWords = { recipient: "channel", one: "message", many: "messages" };

export interface NoteProps {
  recipient: Recipient;
  /** Address of the recipient's page. */
  path: string;
  words: RecipientWords;
  deliveries: Pick<PageServices["deliveries"], "failureAdvice" | "failures" | "sendAll">;
}

/** Returns whether the note has the primary action of the page. */
export function needsAttention(given: Pick<NoteProps, "recipient" | "deliveries">): boolean {
  const { recipient, deliveries } = given;
  return recipientState(recipient) !== "enabled" || deliveries.sendAll.count(recipient.seq, 1).failed > 0;
}

/** Says what is wrong with a recipient, why, and what to do about it. Renders nothing if all is well. */
export function RecipientNote({ recipient, path, words, deliveries }: NoteProps) {
  const { channel, disabledAt, disabledReason, failingSince, id, lastFailure, nextProbeAt } = recipient;
  const state = recipientState(recipient);
  const { failed, queued } = deliveries.sendAll.count(recipient.seq, failedCountedMax + 1);
  const [summary] = failed === 0 ? [] : deliveries.failures.of({ recipient: id });
  const cause = lastFailure === null ? null : causeText(lastFailure);
  const advice = lastFailure === null ? undefined : deliveries.failureAdvice(channel, lastFailure.failure);
  const texts = summary === undefined ? undefined : failureTexts(summary, words);
  // The cause is not said twice.
  const isSame = summary?.causes.length === 1 && causeText(summary.causes[0]!) === cause;
  const gaveUp = texts === undefined ? "" : isSame ? `${texts.title}.` : `${texts.title}. ${texts.causes}`;
  const waiting = queuedText(queued, words);
  if (state === "disabled")
    return (
      <Note
        tone={isDisabledForFailing(disabledReason) ? "bad" : "warn"}
        title={
          <>
            Disabled{disabledAt === null ? "" : " "}
            {disabledAt === null ? null : <Time at={disabledAt} relative />}:{" "}
            {disabledBecause[disabledReason ?? "operator"]}.
          </>
        }
        action={<PostButton action={`${path}/enable`} label="Enable" variant="primary" />}
      >
        {isDisabledForFailing(disabledReason) && cause !== null ? `The last result was ${cause}. ` : ""}
        {advice} {waiting}
        {gaveUp}
      </Note>
    );
  const sendAll =
    failed + queued === 0 ? null : (
      <LinkButton
        path={`${path}/send-all`}
        label={sendAllLabel({ failed, queued })}
        icon="send"
        variant="primary"
      />
    );
  if (state === "enabled")
    return summary === undefined || texts === undefined ? null : (
      <Note tone="warn" title={texts.title} action={sendAll}>
        {texts.causes} {waiting}
        {adviceOn(summary, deliveries)}
      </Note>
    );
  return (
    <Note
      tone="bad"
      title={
        <>
          Every {words.one} has failed since{" "}
          {failingSince === null ? "the last success" : <Time at={failingSince} />}.
        </>
      }
      action={sendAll}
    >
      {cause === null ? "" : `The result is ${cause}. `}
      {advice} {waiting}
      {nextProbeAt === null ? null : (
        <>
          The next attempt is <Time at={nextProbeAt} relative="next" />.{" "}
        </>
      )}
      {gaveUp}
    </Note>
  );
}

/** @param queued counted up to `failedCountedMax` and one more */
export function queuedText(queued: number, { one, many }: RecipientWords): string {
  return queued === 0 ? "" : `${atMost(queued)} ${queued === 1 ? `${one} is` : `${many} are`} queued. `;
}

/** Returns advice on the most frequent cause. */
export function adviceOn(
  { causes: [first], channel }: FailedDeliveries,
  deliveries: Pick<PageServices["deliveries"], "failureAdvice">,
): string | undefined {
  return first === undefined ? undefined : deliveries.failureAdvice(channel, first.failure);
}

/** @param unsent counted up to `failedCountedMax` and one more */
export function sendAllLabel({ failed, queued }: { failed: number; queued: number }): string {
  if (Math.max(failed, queued) > failedCountedMax) return "Send all again";
  const total = failed + queued;
  return total === 1 ? "Send it again" : `Send all ${grouped(total)} again`;
}

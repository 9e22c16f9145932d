import type { Recipient } from "../../../messaging/deliveries/recipients.ts";
import {
  disabledBecause,
  isDisabledForFailing,
  recipientState,
} from "../../../messaging/deliveries/rules/recipient-state.ts";
import {
  failedCountedMax,
  type FailedDeliveries,
} from "../../../messaging/deliveries/store/failure-summary.ts";
import { grouped } from "../../../platform/lib/wording.ts";
import { visible } from "../../../platform/lib/safe-text.ts";
import { LinkButton, Time, Note } from "../kit/components.tsx";
import { PostButton, type Choice } from "../kit/form.tsx";
import { StateMark } from "../kit/inline.tsx";
import type { PageServices } from "../shell/services.ts";
import { recipientPath } from "../kit/paths.ts";
import { atMost, DayStats } from "./day-stats.tsx";
import { causeText, failureTexts } from "./delivery-parts.tsx";
import recipientWords from "./recipient-words.json" with { type: "json" };

/** Names of a recipient and of what it is sent. */
export interface RecipientWords {
  /** `endpoint`, `channel` */
  recipient: string;
  one: string;
  many: string;
  /** Says how receivers see an event or message that they have received before. */
  duplicates: string;
  /** Label of the button that sends a test. */
  test: string;
  /** Texts of the page that sends again what was sent, and the deliveries to choose from. */
  replay: { title: string; lead: string; choices: readonly Choice[] };
  /** Texts of the log of what was sent, with the label of a recipient. */
  log: { title: string; lead: string; recipient: string; empty: string };
}

export const endpointWords: RecipientWords = recipientWords.endpoint;
/** People miss no message: what a disabled channel is sent waits. */
export const channelWords: RecipientWords = recipientWords.channel;

interface NoteProps {
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
function RecipientNote({ recipient, path, words, deliveries }: NoteProps) {
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
            Disabled
            <Time at={disabledAt} prefix=" " relative />: {disabledBecause[disabledReason ?? "operator"]}.
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
function queuedText(queued: number, { one, many }: RecipientWords): string {
  return queued === 0 ? "" : `${atMost(queued)} ${queued === 1 ? `${one} is` : `${many} are`} queued. `;
}

/** Returns advice on the most frequent cause. */
function adviceOn(
  { causes: [first], channel }: FailedDeliveries,
  deliveries: Pick<PageServices["deliveries"], "failureAdvice">,
): string | undefined {
  return first === undefined ? undefined : deliveries.failureAdvice(channel, first.failure);
}

/** @param unsent counted up to `failedCountedMax` and one more */
function sendAllLabel({ failed, queued }: { failed: number; queued: number }): string {
  if (Math.max(failed, queued) > failedCountedMax) return "Send all again";
  const total = failed + queued;
  return total === 1 ? "Send it again" : `Send all ${grouped(total)} again`;
}

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
          <Time at={disabledAt} prefix=", " relative />
        </p>
      </>
    );
  return (
    <>
      <StateMark tone="bad">{state === "held" ? "Held" : "Failing"}</StateMark>
      <p class="hide-s">
        <Time at={failingSince} prefix="began " relative />
        {failingSince === null || cause === "" ? "" : ": "}
        {cause}
        {state === "held" ? <Time at={nextProbeAt} prefix=". Next attempt " relative="next" /> : null}
      </p>
    </>
  );
}

/** Interval in which the state is fetched again while deliveries are being sent. */
const refreshMs = 2_000;
/** The same while attempts fail, and deliveries wait for the next one. */
const refreshFailingMs = 5_000;

interface NowProps extends NoteProps {
  deliveries: PageServices["deliveries"];
}

/**
 * State of a recipient: what is wrong with it, and its numbers. Refreshes itself while deliveries are queued. The fragment
 * is at `now` below the recipient's page.
 */
export function RecipientNow(props: NowProps) {
  const { recipient, path, deliveries } = props;
  const state = recipientState(recipient);
  const isSending = state !== "disabled" && deliveries.sendAll.count(recipient.seq, 1).queued > 0;
  const ms = state === "enabled" ? refreshMs : refreshFailingMs;
  return (
    <div
      id="now"
      class="stack"
      data-refresh={isSending ? `${path}/now` : undefined}
      data-refresh-ms={isSending ? ms : undefined}
      data-refresh-page=""
    >
      <RecipientNote {...props} />
      <DayStats recipient={recipient} deliveries={deliveries} />
    </div>
  );
}

const nameCharactersMax = 60;

/** Returns whether the list has the primary action of the page. */
export function offersSendAll(failed: readonly FailedDeliveries[]): boolean {
  return failed.length === 1 && failed[0]!.enabled;
}

/** Says which deliveries failed for good and why, with a way to send them again: a note for each recipient. */
export function FailureList(props: {
  failed: readonly FailedDeliveries[];
  words: RecipientWords;
  deliveries: Pick<PageServices["deliveries"], "failureAdvice">;
}) {
  const { failed, words, deliveries } = props;
  return (
    <>
      {failed.map((summary) => {
        const { recipientId: id, recipientName, channel, enabled, total, more, queued } = summary;
        const { title, causes } = failureTexts(summary, {
          ...words,
          to: visible(recipientName, nameCharactersMax),
        });
        const page = recipientPath({ channel, id });
        return (
          <Note
            tone="warn"
            title={title}
            action={
              page === undefined || !enabled ? undefined : (
                <LinkButton
                  path={`${page}/send-all`}
                  label={more ? "Send all again" : sendAllLabel({ failed: total, queued })}
                  icon="send"
                  variant={offersSendAll(failed) ? "primary" : undefined}
                />
              )
            }
          >
            {causes} {queuedText(queued, words)}
            {enabled ? "" : `The ${words.recipient} is disabled: enable it before you send them again. `}
            {adviceOn(summary, deliveries)}
          </Note>
        );
      })}
    </>
  );
}

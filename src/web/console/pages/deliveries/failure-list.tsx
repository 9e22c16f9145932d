import type { FailedDeliveries } from "../../../../messaging/deliveries/store/failure-summary.ts";
import { visible } from "../../../../platform/lib/safe-text.ts";
import { LinkButton } from "../../kit/components.tsx";
import { Note } from "../../kit/marks.tsx";
import { recipientPath } from "../../kit/paths.ts";
import type { PageServices } from "../../shell/services.ts";
import { failureTexts } from "./outcome.ts";
import { adviceOn, queuedText, sendAllLabel, type RecipientWords } from "./recipient-note.tsx";

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

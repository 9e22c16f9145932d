import { recipientState } from "../../../../messaging/deliveries/rules/recipient-state.ts";
import type { Instant } from "../../../../platform/lib/clock.ts";
import { DayStats } from "./day-stats.tsx";
import { RecipientNote, type NoteProps } from "./recipient-note.tsx";
import type { PageServices } from "../../shell/services.ts";

/** Interval in which the state is fetched again while deliveries are being sent. */
const refreshMs = 2_000;
/** The same while attempts fail, and deliveries wait for the next one. */
const refreshFailingMs = 5_000;

interface NowProps extends NoteProps {
  now: Instant;
  deliveries: NoteProps["deliveries"] & Pick<PageServices["deliveries"], "hours">;
}

/**
 * State of a recipient: what is wrong with it, and its numbers. Refreshes itself while deliveries are queued; the fragment is at
 * `now` below the recipient's page.
 */
export function RecipientNow({ recipient, path, words, now, deliveries }: NowProps) {
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
      <RecipientNote recipient={recipient} path={path} words={words} deliveries={deliveries} />
      <DayStats recipient={recipient} now={now} deliveries={deliveries} />
    </div>
  );
}

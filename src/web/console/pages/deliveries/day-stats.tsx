import type { Recipient } from "../../../../messaging/deliveries/recipients.ts";
import { recipientState } from "../../../../messaging/deliveries/rules/recipient-state.ts";
import { failedCountedMax } from "../../../../messaging/deliveries/store/failure-summary.ts";
import type { Instant } from "../../../../platform/lib/clock.ts";
import { grouped } from "../../../../platform/lib/wording.ts";
import type { PageServices } from "../../shell/services.ts";
import { DayChart } from "./day-chart.tsx";

/** Numbers of one recipient: attempts in the last 24 hours and queued deliveries. */
export function DayStats(props: {
  recipient: Recipient;
  now: Instant;
  deliveries: Pick<PageServices["deliveries"], "hours" | "sendAll">;
}) {
  const { recipient, now, deliveries } = props;
  const day = deliveries.hours.lastDay(recipient.seq, now);
  const { failed, queued } = deliveries.sendAll.count(recipient.seq, failedCountedMax + 1);
  const isSending = queued > 0 && recipientState(recipient) === "enabled";
  return (
    <section class="cols cols-4" aria-label="Last 24 hours">
      <div class="card stat">
        <span class="s">Delivered, 24 h</span>
        <b class="big">{grouped(day.delivered)}</b>
        <span class="s faint">
          {day.averageMs === null ? "none accepted yet" : `average ${grouped(day.averageMs)} ms`}
        </span>
      </div>
      <div class="card stat">
        <span class="s">{isSending ? "Being sent" : "Queued"}</span>
        <b class="big">{atMost(queued)}</b>
        <span class="s faint">
          {failed === 0 ? "none failed for good" : `${atMost(failed)} failed for good`}
        </span>
      </div>
      <div class="card stat span-2">
        <span class="s">Attempts in the last 24 hours</span>
        <DayChart day={day} tall />
        {day.delivered + day.failed === 0 ? null : (
          <span class="key">
            <Key tone="c-rest" label={`${grouped(day.delivered)} delivered`} />
            <Key tone="c-high" label={`${grouped(day.failed)} failed`} />
          </span>
        )}
      </div>
    </section>
  );
}

function Key({ tone, label }: { tone: string; label: string }) {
  return (
    <span class="line tight">
      <svg class="swatch" aria-hidden="true">
        <rect class={tone} width="10" height="10" />
      </svg>
      {label}
    </span>
  );
}

/** Returns a count that was taken up to `failedCountedMax` and one more. */
export function atMost(count: number): string {
  return count > failedCountedMax ? `${grouped(failedCountedMax)}+` : grouped(count);
}

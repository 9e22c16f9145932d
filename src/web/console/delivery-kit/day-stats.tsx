import type { Recipient } from "../../../messaging/deliveries/recipients.ts";
import { recipientState } from "../../../messaging/deliveries/rules/recipient-state.ts";
import { failedCountedMax } from "../../../messaging/deliveries/store/failure-summary.ts";
import { usePage } from "../kit/page-context.ts";
import { grouped } from "../../../platform/lib/wording.ts";
import type { DayOfDeliveries } from "../../../messaging/deliveries/store/hours.ts";
import type { PageServices } from "../shell/services.ts";
import { ColorKey, percent } from "../charts/split-bar.tsx";

/** Numbers of one recipient: attempts in the last 24 hours and queued deliveries. */
export function DayStats(props: {
  recipient: Recipient;
  deliveries: Pick<PageServices["deliveries"], "hours" | "sendAll">;
}) {
  const { recipient, deliveries } = props;
  const { now } = usePage();
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
          <ColorKey
            entries={[
              ["rest", `${grouped(day.delivered)} delivered`],
              ["high", `${grouped(day.failed)} failed`],
            ]}
          />
        )}
      </div>
    </section>
  );
}

/** Returns a count that was taken up to `failedCountedMax` and one more. */
export function atMost(count: number): string {
  return count > failedCountedMax ? `${grouped(failedCountedMax)}+` : grouped(count);
}

const slotPercent = 100 / 24;
const barPercent = 2.92;
const gapPercent = (slotPercent - barPercent) / 2;

/** Attempts in the last 24 hours, a column for each hour: delivered below, failed above. Sizes are percentages. */
export function DayChart({ day, tall = false }: { day: DayOfDeliveries; tall?: boolean }) {
  const { delivered, failed, hours } = day;
  if (delivered + failed === 0)
    return <span class="faint">{tall ? "No attempts in the last 24 hours" : "–"}</span>;
  const largest = Math.max(1, ...hours.map((hour) => hour.delivered + hour.failed));
  const label = `Attempts by hour, last 24 hours: ${grouped(delivered)} delivered, ${grouped(failed)} failed`;
  return (
    <svg class={tall ? "spark tall" : "spark"} role="img" aria-label={label}>
      <title>{label}</title>
      {hours.map((hour, index) => {
        const x = percent(index * slotPercent + gapPercent);
        const good = (hour.delivered / largest) * 100;
        const bad = (hour.failed / largest) * 100;
        if (good + bad === 0)
          return <rect class="c-low" x={x} y="96%" width={percent(barPercent)} height="1.5" rx=".75" />;
        return (
          <>
            {good === 0 ? null : <Bar x={x} top={100 - good} height={good} tone="c-rest" />}
            {bad === 0 ? null : <Bar x={x} top={100 - good - bad} height={bad} tone="c-high" />}
          </>
        );
      })}
    </svg>
  );
}

function Bar({ x, top, height, tone }: { x: string; top: number; height: number; tone: string }) {
  return (
    <rect class={tone} x={x} y={percent(top)} width={percent(barPercent)} height={percent(height)} rx="1" />
  );
}

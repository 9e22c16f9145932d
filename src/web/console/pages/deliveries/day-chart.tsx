import type { DayOfDeliveries } from "../../../../messaging/deliveries/store/hours.ts";
import { grouped } from "../../../../platform/lib/wording.ts";
import { percent } from "../../charts/split-bar.tsx";

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

import type { Instant } from "../../../lib/clock.ts";
import { counted } from "../../../lib/wording.ts";
import type { HitClass } from "../../../vocabulary/traps.ts";
import { DaysChart, type Layer } from "../../kit/charts.tsx";
import { usePage } from "../../kit/page-context.ts";

const timelineDays = 60;
const dayMs = 86_400_000;

const layers: readonly Layer<"alarming" | "quiet">[] = [
  { key: "alarming", label: "alarming" },
  { key: "quiet", label: "others" },
];

/** From the beginning of which day on visits are shown. */
export function timelineSince(now: Instant): Instant {
  return (Math.floor(now / dayMs) - timelineDays + 1) * dayMs;
}

/** Visits of each day, those that raise the alarm below the others. */
export function TrapTimeline({ rows }: { rows: readonly { at: Instant; class: HitClass; count: number }[] }) {
  const since = timelineSince(usePage().now);
  const days = Array.from({ length: timelineDays }, (_, day) => ({
    day: since + day * dayMs,
    alarming: 0,
    quiet: 0,
  }));
  let total = 0;
  for (const { at, class: hitClass, count } of rows) {
    const day = days[(at - since) / dayMs];
    // The clock was set back since.
    if (day === undefined) continue;
    day[isAlarming(hitClass) ? "alarming" : "quiet"] += count;
    total += count;
  }
  if (total === 0) return <p class="hint">No visit in the last {timelineDays} days.</p>;
  return (
    <>
      <p class="hint">
        {counted(total, "visit")} on record of the last {timelineDays} days, by day (UTC).
      </p>
      <DaysChart caption="Visits by day" days={days} layers={layers} />
    </>
  );
}

export function isAlarming(hitClass: HitClass): boolean {
  return hitClass === "foreign" || hitClass === "visit";
}

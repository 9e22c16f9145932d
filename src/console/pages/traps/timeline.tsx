import { dayMs, type Instant } from "../../../lib/clock.ts";
import { counted } from "../../../lib/wording.ts";
import { alwaysAlerts, type VisitClass } from "../../../vocabulary/traps.ts";
import { DaysChart, type Layer } from "../../charts/days-chart.tsx";
import { usePage } from "../../kit/page-context.ts";

const timelineDays = 60;

const layers: readonly Layer<"alarming" | "quiet">[] = [
  { key: "alarming", label: "alerts", color: "high" },
  { key: "quiet", label: "others", color: "rest" },
];

/** Returns the start of the first day that the timeline shows. */
export function timelineSince(now: Instant): Instant {
  return (Math.floor(now / dayMs) - timelineDays + 1) * dayMs;
}

/** Visits by day, with those that raise alerts below the others. */
export function TrapTimeline({
  rows,
}: {
  rows: readonly { at: Instant; class: VisitClass; count: number }[];
}) {
  const since = timelineSince(usePage().now);
  const days = Array.from({ length: timelineDays }, (_, day) => ({
    day: since + day * dayMs,
    alarming: 0,
    quiet: 0,
  }));
  let total = 0;
  for (const { at, class: name, count } of rows) {
    const day = days[(at - since) / dayMs];
    // Undefined if the clock was set back since then.
    if (day === undefined) continue;
    day[alwaysAlerts(name) ? "alarming" : "quiet"] += count;
    total += count;
  }
  if (total === 0) return <p class="hint">No visits in the last {timelineDays} days.</p>;
  return (
    <>
      <p class="hint">
        {counted(total, "recorded visit")} in the last {timelineDays} days, by day (UTC).
      </p>
      <DaysChart caption="Visits by day" days={days} layers={layers} />
    </>
  );
}

import { dayMs, startOfDay, type Instant } from "../../../../platform/lib/clock.ts";
import { counted, grouped } from "../../../../platform/lib/wording.ts";
import { alwaysAlerts, type VisitClass } from "../../../../platform/vocabulary/traps.ts";
import { DayMarks, fitsAsDots } from "../../charts/day-marks.tsx";
import { DaysChart, type Layer } from "../../charts/days-chart.tsx";
import { usePage } from "../../kit/page-context.ts";
import { shortDay } from "../../kit/times.ts";

const timelineDays = 60;
/** Days of the timeline in a row of the list. */
const rowDays = 30;

const layers: readonly Layer<"alerts" | "others">[] = [
  { key: "alerts", label: "alerts", color: "high" },
  { key: "others", label: "others", color: "rest" },
];

type Rows = readonly { at: Instant; class: VisitClass; count: number }[];

/** Returns the start of the first day that a timeline shows. */
export function timelineSince(now: Instant, count: "page" | "row"): Instant {
  return startOfDay(now) - ((count === "page" ? timelineDays : rowDays) - 1) * dayMs;
}

function daysOf(rows: Rows, since: Instant, count: number) {
  const days = Array.from({ length: count }, (_, day) => ({
    day: since + day * dayMs,
    alerts: 0,
    others: 0,
  }));
  for (const row of rows) {
    const day = days[(row.at - since) / dayMs];
    // Undefined if the clock was set back since then.
    if (day !== undefined) day[alwaysAlerts(row.class) ? "alerts" : "others"] += row.count;
  }
  return days;
}

/** Visits by day, with those that raise alerts below the others. */
export function TrapTimeline({ rows }: { rows: Rows }) {
  const days = daysOf(rows, timelineSince(usePage().now, "page"), timelineDays);
  const total = days.reduce((sum, { alerts, others }) => sum + alerts + others, 0);
  if (total === 0) return <p class="hint">No visits in the last {timelineDays} days.</p>;
  const largest = Math.max(...days.map(({ alerts, others }) => alerts + others));
  const alerts = days.reduce((sum, day) => sum + day.alerts, 0);
  const text = `${counted(total, "recorded visit")} in the last ${timelineDays} days, ${grouped(alerts)} with an alert`;
  return (
    <>
      <p class="hint">{text}, by day (UTC).</p>
      {fitsAsDots(largest, true) ? (
        <div>
          <DayMarks full label={`${text}, at most ${grouped(largest)} a day`} days={days} />
          <p class="hint ends">
            <span>{shortDay(days[0]!.day)}</span>
            <span>{shortDay(days.at(-1)!.day)}</span>
          </p>
        </div>
      ) : (
        <DaysChart caption="Visits by day" days={days} layers={layers} />
      )}
    </>
  );
}

/** The timeline of a trap in a list; nothing if there were no visits. */
export function RowTimeline({ rows }: { rows: Rows }) {
  const days = daysOf(rows, timelineSince(usePage().now, "row"), rowDays);
  const sum = (key: "alerts" | "others") => days.reduce((total, day) => total + day[key], 0);
  if (sum("alerts") + sum("others") === 0) return null;
  return (
    <DayMarks
      label={`${grouped(sum("alerts"))} alerts and ${counted(sum("others"), "other visit")} in ${rowDays} days`}
      days={days}
    />
  );
}

import { dayMs, type Instant, startOfDay } from "../../../../platform/lib/clock.ts";
import { spanText } from "../../../../platform/lib/durations.ts";
import { counted } from "../../../../platform/lib/wording.ts";
import type { ThreatIndex } from "../../../../threats/index/threat-index.ts";
import { Bars } from "../../charts/bars.tsx";
import { Columns } from "../../charts/columns.tsx";
import { decisionsPath } from "../../kit/paths.ts";
import { shortDay } from "../../kit/times.ts";
import { listPath, timeParameter } from "../../threat-kit/filters.ts";

const weeksShown = 12;
/** Fewer weeks with decisions are shown as numbers. */
const chartWeeksMin = 3;
const hourMs = 3_600_000;

/** Ages of open threats, youngest first; an age without a limit is the last one. */
const ages = [
  { label: "Under 1 hour", limitMs: hourMs },
  { label: "1 to 24 hours", limitMs: dayMs },
  { label: "1 to 7 days", limitMs: 7 * dayMs },
  { label: "Over 7 days", limitMs: undefined },
] as const;

/** Whether things improve: how long decisions took, and how long open threats have waited. */
interface DecisionProgress {
  /** By week; the last one is the present week. */
  weeks: { week: Instant; decided: number; medianMs: number | null }[];
  /** Time at which the ages were counted. */
  minute: Instant;
  /** By the index of `ages`. */
  openByAge: number[];
}

export async function readDecisionProgress(index: ThreatIndex, now: Instant): Promise<DecisionProgress> {
  // The views that the numbers link to are exact to the minute.
  const minute = now - (now % 60_000);
  const from = startOfWeek(now) - (weeksShown - 1) * weekMs;
  const weeks = await index.decisions({ from, periodMs: weekMs, count: weeksShown });
  const limits = ages.flatMap(({ limitMs }) => limitMs ?? []);
  return {
    weeks: weeks.map((week, number) => ({ week: from + number * weekMs, ...week })),
    minute,
    openByAge: await index.openByAge(minute, limits),
  };
}

export function TimeToDecide({ progress: { weeks, minute, openByAge } }: { progress: DecisionProgress }) {
  const current = weeks.at(-1)!;
  const earlier = weeks.slice(0, -1).findLast(({ medianMs }) => medianMs !== null);
  const first = weeks.findIndex(({ medianMs }) => medianMs !== null);
  const shown = first === -1 ? [] : weeks.slice(first);
  return (
    <article class="card stack">
      <header>
        <h2>Time to decide</h2>
        <a href={decisionsPath}>Recent decisions</a>
      </header>
      <div class="line">
        {current.medianMs === null ? null : <span class="big">{spanText(current.medianMs)}</span>}
        <span class="s faint">
          {current.decided === 0
            ? "No decisions this week"
            : `median this week, ${counted(current.decided, "decision")}`}
          {earlier === undefined ? null : (
            <>
              <br />
              {spanText(earlier.medianMs!)} in the week of {shortDay(earlier.week)}
            </>
          )}
        </span>
      </div>
      {shown.length < chartWeeksMin ? null : (
        <Columns
          label={`Median time to decide by week: ${shown
            .flatMap(({ week, medianMs }) =>
              medianMs === null ? [] : `${shortDay(week)} ${spanText(medianMs)}`,
            )
            .join(", ")}`}
          columns={shown.map(({ week, medianMs }) => ({ label: shortDay(week), value: medianMs }))}
          ticks={durationTicks(Math.max(...shown.map(({ medianMs }) => medianMs ?? 0)))}
          headings={["Week", "Median time to decide"]}
          format={spanText}
          formatTick={tickText}
        />
      )}
      <footer>
        <h3>To decide, by age</h3>
        <Bars
          caption="To decide, by age"
          rows={ages.map(({ label }, index) => ({
            label,
            value: openByAge[index]!,
            path: agePath(index, minute),
            tone: index === ages.length - 1 ? ("medium" as const) : ("rest" as const),
          }))}
        />
      </footer>
    </article>
  );
}

/** Returns the view of the active threats of an age, oldest first. */
function agePath(index: number, minute: Instant): string {
  const from = ages[index]!.limitMs;
  const to = ages[index - 1]?.limitMs;
  return listPath(
    new URLSearchParams({
      ...(from === undefined ? {} : { from: timeParameter(minute - from) }),
      ...(to === undefined ? {} : { to: timeParameter(minute - to) }),
      sort: "first_seen",
      order: "asc",
    }),
  );
}

const stepsMs = [
  ...[1, 5, 10, 30].map((minutes) => minutes * 60_000),
  ...[1, 2, 6, 12].map((hours) => hours * hourMs),
  ...[1, 2, 7, 14, 30, 90].map((days) => days * dayMs),
];

function tickText(ms: number): string {
  return ms < dayMs ? spanText(ms) : counted(ms / dayMs, "day");
}

/** Returns round durations up to a maximum: two or three of them. */
function durationTicks(maxMs: number): number[] {
  const step = stepsMs.find((ms) => maxMs / ms < 4) ?? stepsMs.at(-1)!;
  return [1, 2, 3].map((count) => count * step).filter((tick) => tick <= maxMs);
}

export const weekMs = 7 * dayMs;

/** Returns the start of the week (Monday, UTC) that contains a time. */
export function startOfWeek(at: Instant): Instant {
  const day = startOfDay(at);
  return day - ((new Date(day).getUTCDay() + 6) % 7) * dayMs;
}

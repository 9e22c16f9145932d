import { scaleBand, scaleLinear } from "d3-scale";
import type { Instant } from "../lib/clock.ts";
import { counted, grouped } from "../lib/wording.ts";
import type { HitClass } from "../traps/values.ts";
import { dayText } from "./fields.ts";
import { usePage } from "./page-context.ts";

const timelineDays = 60;
const dayMs = 86_400_000;
const [width, height] = [720, 96];

/** From the beginning of which day on visits are shown. */
export function timelineSince(now: Instant): Instant {
  return (Math.floor(now / dayMs) - timelineDays + 1) * dayMs;
}

/** Visits of each day as bars, those that raise the alarm below the others. */
export function TrapTimeline({ rows }: { rows: readonly { at: Instant; class: HitClass; count: number }[] }) {
  const { now } = usePage();
  const since = timelineSince(now);
  const days = Array.from({ length: timelineDays }, (_, day) => since + day * dayMs);
  const of = (day: Instant, alarming: boolean) =>
    rows
      .filter((row) => row.at === day && isAlarming(row.class) === alarming)
      .reduce((sum, { count }) => sum + count, 0);
  const bars = days.map((day) => ({ day, alarming: of(day, true), quiet: of(day, false) }));
  const most = Math.max(...bars.map(({ alarming, quiet }) => alarming + quiet));
  if (most === 0) return <p class="hint">No visit in the last {timelineDays} days.</p>;
  const x = scaleBand(days.map(String), [0, width]).paddingInner(0.2);
  const y = scaleLinear([0, most], [0, height - 1]);
  const total = bars.reduce((sum, { alarming, quiet }) => sum + alarming + quiet, 0);
  const label = `${counted(total, "visit")} in the last ${timelineDays} days, ${counted(most, "visit")} on the day with the most`;
  return (
    <figure class="timeline">
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={label}>
        {bars
          .filter(({ alarming, quiet }) => alarming + quiet > 0)
          .map(({ day, alarming, quiet }) => {
            const left = x(String(day));
            const top = height - y(alarming + quiet);
            return (
              <g>
                <title>{`${dayText(day)}: ${counted(alarming + quiet, "visit")}`}</title>
                <rect class="quiet" x={left} y={top} width={x.bandwidth()} height={y(quiet)} />
                <rect
                  class="alarming"
                  x={left}
                  y={height - y(alarming)}
                  width={x.bandwidth()}
                  height={y(alarming)}
                />
              </g>
            );
          })}
      </svg>
      <figcaption>
        <span>{dayText(since)}</span>
        <span>
          {counted(total, "visit")}, at most {grouped(most)} a day
        </span>
        <span>{dayText(now)}</span>
      </figcaption>
    </figure>
  );
}

export function isAlarming(hitClass: HitClass): boolean {
  return hitClass === "foreign" || hitClass === "visit";
}

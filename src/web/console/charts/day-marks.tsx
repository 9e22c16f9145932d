import { percent } from "./split-bar.tsx";

/** Counts of a day: those that raise an alert, and the others. */
interface DayMark {
  alerts: number;
  others: number;
}

/** Heights in pixels, the same as in sparklines. The width is fluid, so horizontal positions are percentages. */
const heights = { row: 24, full: 36 } as const;
/** Distance of two dots. */
const dotPitch = 7;
const dotRadius = 2.5;
/** Height of the tick for a day without any. */
const tickHeight = 1.5;
/** Share of a day's place that its bar fills. */
const fill = 0.7;

/**
 * Counts of consecutive days. Small ones are dots, one for each, so that a single visit does not look like the largest
 * of bars; larger ones are bars. A day without any has a tick.
 */
export function DayMarks(props: {
  /** For screen readers; the page has to offer the numbers elsewhere. */
  label: string;
  days: readonly DayMark[];
  /** As wide as its container, in place of the width for a row. */
  full?: boolean;
}) {
  const { label, days, full = false } = props;
  const height = full ? heights.full : heights.row;
  const largest = Math.max(1, ...days.map(({ alerts, others }) => alerts + others));
  const place = 100 / Math.max(1, days.length);
  const areDots = fitsAsDots(largest, full);
  return (
    <svg class={full ? "spark full" : "spark"} role="img" aria-label={label}>
      {days.map(({ alerts, others }, index) => {
        const x = index * place;
        if (alerts + others === 0)
          return (
            <rect
              class="c-low"
              x={percent(x)}
              y={height - tickHeight}
              width={percent(place * fill)}
              height={tickHeight}
            />
          );
        if (areDots)
          return Array.from({ length: alerts + others }, (_, number) => (
            <circle
              class={number < alerts ? "c-high" : "c-rest"}
              cx={percent(x + (place * fill) / 2)}
              cy={height - dotRadius - number * dotPitch}
              r={dotRadius}
            />
          ));
        const scale = height / largest;
        return [
          { color: "c-high", from: 0, count: alerts },
          { color: "c-rest", from: alerts, count: others },
        ].map(({ color, from, count }) =>
          count === 0 ? null : (
            <rect
              class={color}
              x={percent(x)}
              y={rounded(height - (from + count) * scale)}
              width={percent(place * fill)}
              height={Math.max(tickHeight, rounded(count * scale))}
            />
          ),
        );
      })}
    </svg>
  );
}

/** Returns whether the counts of a day are few enough to be drawn as dots above each other. */
export function fitsAsDots(largest: number, full: boolean): boolean {
  return largest * dotPitch <= (full ? heights.full : heights.row);
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

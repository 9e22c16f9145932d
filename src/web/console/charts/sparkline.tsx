import { grouped } from "../../../platform/lib/wording.ts";

/** Size of the coordinate system. The drawing is stretched to its box, and the line keeps its width. */
const width = 100;
const height = 24;
/** Room for half the width of the line at the top and at the bottom. */
const inset = 1;

/**
 * A line through the values of consecutive days, scaled to the largest. Screen readers get the sum, the last value and
 * the largest one; the page has to offer all numbers elsewhere. Renders nothing while there are too few days with data.
 */
export function Sparkline(props: {
  label: string;
  values: readonly number[];
  /** As wide as its container, in place of the width for a row. */
  full?: boolean;
}) {
  const { label, values, full = false } = props;
  if (!hasEnoughDays(values)) return null;
  const largest = Math.max(1, ...values);
  const sum = values.reduce((total, value) => total + value, 0);
  const step = width / Math.max(1, values.length - 1);
  const points = values.map((value, index) => {
    const y = height - inset - (value / largest) * (height - 2 * inset);
    return `${rounded(index * step)},${rounded(y)}`;
  });
  const text = `${label}: ${grouped(sum)} in ${values.length} days, ${grouped(values.at(-1) ?? 0)} today, at most ${grouped(Math.max(0, ...values))} a day`;
  const base = height - inset;
  return (
    <svg
      class={full ? "spark full" : "spark"}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={text}
    >
      <polygon class="a" points={`0,${base} ${points.join(" ")} ${width},${base}`} />
      <polyline class="l" points={points.join(" ")} />
    </svg>
  );
}

function rounded(value: number): string {
  return String(Math.round(value * 10) / 10);
}

/** With fewer days of data, a page shows numbers and no chart. */
export const chartDaysMin = 3;

/** Returns whether the values of consecutive days, the last of which is today, are enough for a chart. */
export function hasEnoughDays(values: readonly number[]): boolean {
  const first = values.findIndex((value) => value > 0);
  return first !== -1 && values.length - first >= chartDaysMin;
}

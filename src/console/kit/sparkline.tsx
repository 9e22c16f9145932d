import { grouped } from "../../lib/wording.ts";

/** Sizes in pixels. */
const height = 24;
const step = 7;
const barWidth = 5;
const barHeightMin = 2;

/**
 * A bar for each of some consecutive days, scaled to the largest. Screen readers get the sum, the last value and the
 * largest one; the page has to offer all numbers elsewhere.
 */
export function Sparkline({ label, values }: { label: string; values: readonly number[] }) {
  const largest = Math.max(...values);
  const sum = values.reduce((total, value) => total + value, 0);
  const width = values.length * step - (step - barWidth);
  const bars = values
    .map((value, index) => {
      if (value === 0) return "";
      const length = Math.max(barHeightMin, Math.round((value / largest) * height));
      return `M${index * step + barWidth / 2} ${height}v-${length}`;
    })
    .join("");
  const text = `${label}: ${grouped(sum)} in ${values.length} days, ${grouped(values.at(-1) ?? 0)} today, at most ${grouped(largest)} a day`;
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${width} ${height + 1}`}
      width={width}
      height={height + 1}
      role="img"
      aria-label={text}
    >
      <path class="grid" d={`M0 ${height + 0.5}h${width}`} />
      {bars === "" ? null : <path class="bars" d={bars} stroke-width={barWidth} />}
    </svg>
  );
}

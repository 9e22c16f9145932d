import { counted, grouped } from "../../../platform/lib/wording.ts";
import { severities, type Severity } from "../../../platform/vocabulary/threats.ts";

export type SeverityCounts = Readonly<Record<Severity, number>>;

/** Space between two segments, in percent of the width. */
const gap = 0.4;
/** Narrower segments cannot be seen. */
const widthMin = 1;

export function totalOf(counts: SeverityCounts): number {
  return severities.reduce((sum, severity) => sum + counts[severity], 0);
}

/** Adds up the counts of several periods or groups. */
export function sumOf(all: readonly SeverityCounts[]): Record<Severity, number> {
  const sum = { high: 0, medium: 0, low: 0 };
  for (const counts of all) for (const severity of severities) sum[severity] += counts[severity];
  return sum;
}

/** A bar with a segment for each severity, always in the order high, medium, low; the numbers are beside or below it. */
export function SplitBar({ counts }: { counts: SeverityCounts }) {
  const shown = severities.filter((severity) => counts[severity] > 0);
  const weights = shown.map((severity) => Math.max(counts[severity] / totalOf(counts), widthMin / 100));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const room = 100 - gap * Math.max(0, shown.length - 1);
  let x = 0;
  return (
    <svg class="split-bar" aria-hidden="true">
      {shown.length === 0 ? <rect class="c-none" width="100%" height="8" rx="1.5" /> : null}
      {shown.map((severity, index) => {
        const width = (weights[index]! / sum) * room;
        const start = x;
        x += width + gap;
        return <rect class={`c-${severity}`} x={percent(start)} width={percent(width)} height="8" rx="1.5" />;
      })}
    </svg>
  );
}

/** A bar of a table: its length is the share of the largest one, at least a tick if there is anything. */
export function Bar(props: { value: number; largest: number; tone?: "rest" | "accent" | "medium" }) {
  const { value, largest, tone = "rest" } = props;
  const width = value === 0 ? 0 : Math.max(widthMin, (value / Math.max(largest, 1)) * 100);
  return (
    <svg class="split-bar" aria-hidden="true">
      <rect class={`c-${tone}`} width={percent(width)} height="8" rx="1.5" />
    </svg>
  );
}

/** The numbers of a split bar. */
export function SplitNumbers({ counts }: { counts: SeverityCounts }) {
  return (
    <div class="key">
      {severities.map((severity) => (
        <span class="num">
          {grouped(counts[severity])} {severity}
        </span>
      ))}
    </div>
  );
}

/** Explains the colors of severities. */
export function SeverityKey() {
  return <ColorKey entries={severities.map((severity) => [severity, severity])} />;
}

/** Explains colors. */
export function ColorKey({ entries }: { entries: readonly (readonly [Severity | "rest", string])[] }) {
  return (
    <span class="key">
      {entries.map(([color, label]) => (
        <span class="line tight">
          <svg class="swatch" aria-hidden="true">
            <rect class={`c-${color}`} width="10" height="10" />
          </svg>
          {label}
        </span>
      ))}
    </span>
  );
}

export function percent(value: number): string {
  return `${Math.round(value * 100) / 100}%`;
}

/** Returns `4 more than the week before`, `2 fewer …` or `as many as …`. */
export function changeText(now: number, before: number, when: string): string {
  if (now === before) return `as many as ${when}`;
  return now > before
    ? `${grouped(now - before)} more than ${when}`
    : `${counted(before - now, "fewer", "fewer")} than ${when}`;
}

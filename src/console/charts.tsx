import { grouped } from "../lib/wording.ts";
import { scaleBand, scaleLinear } from "d3-scale";
import { stack } from "d3-shape";
import { severities, type Severity } from "../threats/values.ts";
import { dayText } from "./fields.ts";
import { listPath } from "./threat-filters.ts";
import { Table } from "./table.tsx";
import { inWords } from "./words.ts";

export type DayCounts = { day: number } & Record<Severity, number>;

/** Pixels; the width is that of the page, so places along it are parts of a hundred. */
const plotHeight = 170;
const chartHeight = 195;
/** High stands on the line, where the eye can compare. */
const layers = stack<unknown, Record<Severity, number>, Severity>().keys(severities);

/** How many threats were first seen on each day, in bars, by severity; the same as a table below. */
export function DaysChart({ days }: { days: readonly DayCounts[] }) {
  const most = Math.max(1, ...days.map(totalOf));
  const y = scaleLinear([0, most], [plotHeight, 12]).nice(3);
  const x = scaleBand(
    days.map(({ day }) => day),
    [0, 100],
  ).padding(0.2);
  const stacked = layers([...days]);
  const ticks = y.ticks(3).filter((tick) => Number.isInteger(tick));
  const labelled = [
    { at: days[0]!.day, anchor: "start", x: "0%" },
    { at: days[Math.floor(days.length / 2)]!.day, anchor: "middle", x: "50%" },
    { at: days.at(-1)!.day, anchor: "end", x: "100%" },
  ] as const;
  return (
    <figure class="chart">
      <svg width="100%" height={chartHeight} aria-hidden="true">
        {ticks.map((tick) => (
          <>
            <line class="grid" x1="0" x2="100%" y1={y(tick)} y2={y(tick)} />
            <text x="0" y={y(tick) - 3}>
              {grouped(tick)}
            </text>
          </>
        ))}
        {stacked.map((layer) =>
          layer.map(([low, high], index) => {
            const { day } = days[index]!;
            return high === low ? null : (
              <rect
                class={`of-${layer.key}`}
                x={`${x(day)!.toFixed(2)}%`}
                width={`${x.bandwidth().toFixed(2)}%`}
                y={y(high).toFixed(1)}
                height={Math.max(1, y(low) - y(high)).toFixed(1)}
              >
                <title>{`${dayText(day)}: ${grouped(high - low)} ${layer.key}`}</title>
              </rect>
            );
          }),
        )}
        {labelled.map(({ at, anchor, x: place }) => (
          <text x={place} y={chartHeight - 6} text-anchor={anchor}>
            {dayText(at)}
          </text>
        ))}
      </svg>
      <figcaption>
        <Legend />
        <details>
          <summary>As a table</summary>
          <Table
            caption="Threats by day"
            columns={[
              { title: "Day (UTC)", cell: ({ day }) => <DayLink day={day} /> },
              ...severities.map((severity) => ({
                title: inWords(severity),
                cell: (counts: DayCounts) => grouped(counts[severity]),
                look: "number" as const,
              })),
            ]}
            rows={days.filter((counts) => totalOf(counts) > 0).toReversed()}
            empty="None on these days."
          />
        </details>
      </figcaption>
    </figure>
  );
}

function DayLink({ day }: { day: number }) {
  const text = dayText(day);
  const query = new URLSearchParams({ status: "all", from: text, to: text });
  return <a href={listPath(query)}>{text}</a>;
}

function Legend() {
  return (
    <span class="legend">
      {severities.map((severity) => (
        <span>
          <svg width="10" height="10" aria-hidden="true">
            <rect class={`of-${severity}`} width="10" height="10" rx="2" />
          </svg>{" "}
          {severity}
        </span>
      ))}
    </span>
  );
}

/** A bar of three parts, as long as its share of the greatest. */
export function SeverityBar({ counts, most }: { counts: Record<Severity, number>; most: number }) {
  const x = scaleLinear([0, Math.max(1, most)], [0, 100]);
  return (
    <svg class="severity-bar" width="100%" height="12" aria-hidden="true">
      {layers([counts]).map((layer) => {
        const [low, high] = layer[0]!;
        return high === low ? null : (
          <rect
            class={`of-${layer.key}`}
            x={`${x(low).toFixed(2)}%`}
            width={`${x(high - low).toFixed(2)}%`}
            height="12"
          />
        );
      })}
    </svg>
  );
}

export function totalOf(counts: Record<Severity, number>): number {
  return severities.reduce((sum, severity) => sum + counts[severity], 0);
}

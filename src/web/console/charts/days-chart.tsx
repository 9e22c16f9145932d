import { scaleBand, scaleLinear } from "d3-scale";
import { stack } from "d3-shape";
import type { Instant } from "../../../platform/lib/clock.ts";
import { grouped } from "../../../platform/lib/wording.ts";
import { formatDay } from "../kit/fields.ts";
import { column, Table } from "../kit/table.tsx";
import { shortDay } from "../kit/times.ts";

/** A segment of each bar. */
export interface Layer<Key extends string> {
  key: Key;
  label: string;
  color: "high" | "medium" | "low" | "rest";
}

/** Heights in pixels. The width is fluid, so horizontal positions are percentages. */
const plotHeight = 170;
const chartHeight = 195;

/** Stacked bars by day, and the same numbers as a table. The first layer is at the bottom, where it compares best. */
export function DaysChart<Key extends string>(props: {
  /** Caption of the table. */
  caption: string;
  /** Consecutive days, each identified by its start. */
  days: readonly ({ day: Instant } & Record<Key, number>)[];
  layers: readonly Layer<Key>[];
}) {
  const { caption, days, layers } = props;
  type Day = (typeof days)[number];
  const keys = layers.map(({ key }) => key);
  const totalOfDay = (counts: Record<Key, number>) => keys.reduce((sum, key) => sum + counts[key], 0);
  const maxTotal = Math.max(1, ...days.map(totalOfDay));
  const y = scaleLinear([0, maxTotal], [plotHeight, 12]).nice(3);
  const x = scaleBand(
    days.map(({ day }) => day),
    // Leaves room for the axis labels before the first day.
    [3, 100],
  ).padding(0.2);
  const ticks = y.ticks(3).filter((tick) => Number.isInteger(tick));
  const labelled = [
    { at: days[0]!.day, anchor: "start", x: "0%" },
    { at: days[Math.floor(days.length / 2)]!.day, anchor: "middle", x: "50%" },
    { at: days.at(-1)!.day, anchor: "end", x: "100%" },
  ] as const;
  return (
    <figure>
      <svg class="chart" height={chartHeight} aria-hidden="true">
        {ticks.map((tick) => (
          <>
            <line class="grid" x1="0" x2="100%" y1={y(tick)} y2={y(tick)} />
            <text x="0" y={y(tick) - 3}>
              {grouped(tick)}
            </text>
          </>
        ))}
        {stacked(days, keys).map((layer, number) =>
          layer.map(([low, high], index) => {
            const { day } = days[index]!;
            return high === low ? null : (
              <rect
                class={`c-${layers[number]!.color}`}
                x={`${x(day)!.toFixed(2)}%`}
                width={`${x.bandwidth().toFixed(2)}%`}
                y={y(high).toFixed(1)}
                height={Math.max(1, y(low) - y(high)).toFixed(1)}
              >
                <title>{`${formatDay(day)}: ${grouped(high - low)} ${layers[number]!.label}`}</title>
              </rect>
            );
          }),
        )}
        {labelled.map(({ at, anchor, x: place }) => (
          <text x={place} y={chartHeight - 6} text-anchor={anchor}>
            {shortDay(at)}
          </text>
        ))}
      </svg>
      <figcaption>
        <Legend layers={layers} />
        <details class="more">
          <summary>As a table</summary>
          <Table<Day>
            caption={caption}
            columns={[
              column("Day (UTC)", "title", ({ day }) => formatDay(day)),
              ...layers.map(({ key, label }, index) =>
                column<Day>(label, index === 0 ? "number state" : "number hidden", (counts) =>
                  grouped(counts[key]),
                ),
              ),
            ]}
            rows={days.filter((counts) => totalOfDay(counts) > 0).toReversed()}
            empty="None in this period."
          />
        </details>
      </figcaption>
    </figure>
  );
}

function stacked<Key extends string>(rows: readonly Record<Key, number>[], keys: readonly Key[]) {
  return stack<unknown, Record<Key, number>, Key>().keys(keys)([...rows]);
}

function Legend({ layers }: { layers: readonly Layer<string>[] }) {
  return (
    <span class="key">
      {layers.map(({ label, color }) => (
        <span class="line tight">
          <svg width="10" height="10" aria-hidden="true">
            <rect class={`c-${color}`} width="10" height="10" rx="2" />
          </svg>{" "}
          {label}
        </span>
      ))}
    </span>
  );
}

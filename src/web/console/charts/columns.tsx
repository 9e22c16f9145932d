import { percent } from "./split-bar.tsx";

/** Heights in pixels. The width is fluid, so horizontal positions are percentages. */
const plotHeight = 92;
const chartHeight = 114;
/** Height of the tick for a value of zero. */
const tickHeight = 2;
/** Percent of the width that the columns take; the rest has the labels of the axis. */
const plotWidth = 94;
/** Share of a column's place that it fills. */
const fill = 0.8;

interface ChartColumn {
  label: string;
  /** Null: there is no value for it. */
  value: number | null;
}

/** Columns for consecutive periods, of which the last is the present one, followed by the same numbers as a table. */
export function Columns(props: {
  /** For screen readers: what is shown, with the numbers that matter. */
  label: string;
  columns: readonly ChartColumn[];
  /** Values with a line across. */
  ticks: readonly number[];
  /** Headings of the two columns of the table. */
  headings: readonly [string, string];
  format: (value: number) => string;
  /** Formats the values of `ticks`, which are round. */
  formatTick: (value: number) => string;
}) {
  const { label, columns, ticks, headings, format, formatTick } = props;
  const largest = Math.max(1, ...columns.map(({ value }) => value ?? 0), ...ticks);
  const y = (value: number) => Math.round((1 - value / largest) * plotHeight * 10) / 10;
  const place = plotWidth / columns.length;
  return (
    <>
      <svg class="chart" height={chartHeight} role="img" aria-label={label}>
        {ticks.map((tick) => (
          <>
            <line class="grid" x1="0" x2="100%" y1={y(tick)} y2={y(tick)} />
            <text x="100%" y={y(tick) - 5} text-anchor="end">
              {formatTick(tick)}
            </text>
          </>
        ))}
        {columns.map(({ value }, index) => {
          if (value === null) return null;
          const height = Math.max(tickHeight, plotHeight - y(value));
          return (
            <rect
              class={index === columns.length - 1 ? "c-accent" : "c-rest"}
              x={percent(index * place)}
              width={percent(place * fill)}
              y={Math.round((plotHeight - height) * 10) / 10}
              height={height}
              rx="2"
            />
          );
        })}
        <line class="axis" x1="0" x2={percent(plotWidth)} y1={plotHeight} y2={plotHeight} />
        <text x="0" y={chartHeight - 5}>
          {columns[0]!.label}
        </text>
        <text x={percent(plotWidth - place * (1 - fill))} y={chartHeight - 5} text-anchor="end">
          {columns.at(-1)!.label}
        </text>
      </svg>
      <details class="more">
        <summary>As a table</summary>
        <table class="mini">
          <thead>
            <tr>
              <th scope="col">{headings[0]}</th>
              <th scope="col" class="r">
                {headings[1]}
              </th>
            </tr>
          </thead>
          <tbody>
            {columns.map(({ label: name, value }) => (
              <tr>
                <th scope="row">{name}</th>
                <td class="r">{value === null ? "–" : format(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}

import type { ComponentChildren } from "preact";
import { grouped } from "../../../platform/lib/wording.ts";

/** Number of steps above zero; the style sheet has a color for each. */
const steps = 5;
/** Columns that remain on narrow screens. */
const narrowColumns = 4;

interface HeatRow {
  label: ComponentChildren;
  values: readonly number[];
  /** Address of what a cell counts, and what it says to screen readers. */
  cell: (index: number) => { path: string; label: string };
}

/** A table whose cells are as dark as their numbers are large. Each cell above zero links to what it counts. */
export function HeatMap(props: {
  caption: string;
  rowHeading: string;
  columns: readonly string[];
  rows: readonly HeatRow[];
}) {
  const { caption, rowHeading, columns, rows } = props;
  const largest = Math.max(1, ...rows.flatMap(({ values }) => values));
  const classOf = (index: number) => (index < columns.length - narrowColumns ? "old" : undefined);
  return (
    <table class="heat">
      <caption class="vh">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">
            <span class="vh">{rowHeading}</span>
          </th>
          {columns.map((column, index) => (
            <th scope="col" class={classOf(index)}>
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ label, values, cell }) => (
          <tr>
            <th scope="row">{label}</th>
            {values.map((value, index) => (
              <td class={classOf(index)}>
                <Cell value={value} step={Math.ceil((value / largest) * steps)} cell={() => cell(index)} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Cell(props: { value: number; step: number; cell: () => { path: string; label: string } }) {
  const { value, step, cell } = props;
  if (value === 0) return <span class="h0">0</span>;
  const { path, label } = cell();
  return (
    <a class={`h${step}`} href={path} aria-label={label}>
      {grouped(value)}
    </a>
  );
}

/** Explains the colors of a heat map. */
export function HeatKey() {
  return (
    <span class="key">
      fewer
      <span>
        {Array.from({ length: steps + 1 }, (_, step) => (
          <span class={`swatch h${step}`} />
        ))}
      </span>
      more
    </span>
  );
}

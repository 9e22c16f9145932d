import { toIsoTime, type Instant } from "../../platform/lib/clock.ts";
import { visible, visibleJson } from "../../platform/lib/safe-text.ts";
import type { Output, Terminal } from "./terminal.ts";

export interface Column<Row> {
  title: string;
  /** Returns the text of the cell, which may contain any character: the table escapes it. */
  cell: (row: Row) => string;
  /** Aligns the column to the right, for numbers. */
  right?: boolean;
  /** Lets the column shrink if the terminal is too narrow. Other columns keep their width. */
  elastic?: boolean;
}

const gap = "  ";
const elasticWidthMin = 12;
const cellCharactersMax = 300;

/** Renders aligned columns, cut to `width` if it is given. */
export function renderTable<Row>(columns: Column<Row>[], rows: Row[], width?: number): string {
  const cells = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ cell }) => visible(cell(row), cellCharactersMax))),
  ];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => Bun.stringWidth(line[index]!))));
  if (width !== undefined) shrink(widths, columns, width);
  return cells.map((line) => `${renderLine(line, widths, columns)}\n`).join("");
}

function shrink<Row>(widths: number[], columns: Column<Row>[], width: number): void {
  const elastic = columns.flatMap((column, index) => (column.elastic === true ? [index] : []));
  let excess = widths.reduce((sum, one) => sum + one, gap.length * (widths.length - 1)) - width;
  while (excess > 0) {
    // Shrink the widest column first, so that the others are cut only if necessary.
    const widest = elastic.toSorted((a, b) => widths[b]! - widths[a]!)[0];
    if (widest === undefined || widths[widest]! <= elasticWidthMin) return;
    widths[widest]!--;
    excess--;
  }
}

function renderLine<Row>(line: string[], widths: number[], columns: Column<Row>[]): string {
  return line
    .map((text, index) => {
      const cut = cutToWidth(text, widths[index]!);
      const padding = " ".repeat(Math.max(0, widths[index]! - Bun.stringWidth(cut)));
      return columns[index]!.right === true ? padding + cut : cut + padding;
    })
    .join(gap)
    .trimEnd();
}

/** Cuts text to a width in terminal columns, of which a Chinese character takes two. */
export function cutToWidth(text: string, width: number): string {
  if (Bun.stringWidth(text) <= width) return text;
  let cut = "";
  let used = 1;
  for (const character of text) {
    used += Bun.stringWidth(character);
    if (used > width) break;
    cut += character;
  }
  return `${cut}…`;
}

/** Prints rows as a table, or the text `none` on standard error if there are none. */
export function printRows<Row>(
  { out, err }: Pick<Terminal, "out" | "err">,
  rows: Row[],
  { columns, none }: { columns: Column<Row>[]; none: string },
): void {
  if (rows.length === 0) err.write(`${none}\n`);
  else out.write(renderTable(columns, rows, out.columns));
}

/** Prints rows as JSON, one object per line, if `--json` is given, and otherwise as a table. */
export function printList<Row>(
  { options, terminal }: { options: { json?: boolean }; terminal: Pick<Terminal, "out" | "err"> },
  rows: Row[],
  { json, ...table }: { columns: Column<Row>[]; json: (row: Row) => object; none: string },
): void {
  if (options.json !== true) printRows(terminal, rows, table);
  else for (const row of rows) printJson(terminal.out, json(row));
}

/** Returns a time as `2026-01-31 12:05` in UTC. */
export function shortTime(instant: Instant): string {
  return toIsoTime(instant).slice(0, 16).replace("T", " ");
}

/** Prints a JSON object on one line. */
export function printJson(out: Output, value: object): void {
  out.write(`${visibleJson(JSON.stringify(value))}\n`);
}

/** Renders facts about one thing, one per line. */
export function renderFacts(facts: [name: string, value: string | number | null][]): string {
  const width = Math.max(...facts.map(([name]) => name.length));
  return facts
    .map(
      ([name, value]) =>
        `${name.padEnd(width)}${gap}${value === null ? "–" : visible(String(value), 2_000)}\n`,
    )
    .join("");
}

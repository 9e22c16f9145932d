/** The value below which the given part (0 to 1) of ascending values lies. */
export function quantile(ascending: ArrayLike<number>, part: number): number {
  if (ascending.length === 0) throw new Error("no values");
  return ascending[Math.min(ascending.length - 1, Math.floor(part * ascending.length))]!;
}

export function median(values: readonly number[]): number {
  const ascending = values.toSorted((a, b) => a - b);
  const middle = Math.floor(ascending.length / 2);
  if (ascending.length % 2 === 1) return ascending[middle]!;
  return (ascending[middle - 1]! + ascending[middle]!) / 2;
}

/** Columns are aligned; the first to the left, figures to the right. */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ");
  return [line(header), widths.map((width) => "-".repeat(width)).join("  "), ...rows.map(line)].join("\n");
}

/** Returns the value at the given fraction (0 to 1) of values in ascending order. */
export function quantile(ascending: ArrayLike<number>, fraction: number): number {
  if (ascending.length === 0) throw new Error("no values");
  return ascending[Math.min(ascending.length - 1, Math.floor(fraction * ascending.length))]!;
}

export function median(values: readonly number[]): number {
  const ascending = values.toSorted((a, b) => a - b);
  const middle = Math.floor(ascending.length / 2);
  if (ascending.length % 2 === 1) return ascending[middle]!;
  return (ascending[middle - 1]! + ascending[middle]!) / 2;
}

/** Returns a table with aligned columns: the first one to the left, the others, which are numbers, to the right. */
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

export interface Goal {
  kind: "at least" | "at most";
  limit: number;
}

/** Prints a measured value next to its goal, and whether the goal is met. */
export function printGoal(
  name: string,
  value: number,
  { kind, limit, digits = 0 }: Goal & { digits?: number },
): void {
  const met = kind === "at least" ? value >= limit : value <= limit;
  console.log(`${name}: ${value.toFixed(digits)} (goal: ${kind} ${limit}) ${met ? "met" : "MISSED"}`);
}

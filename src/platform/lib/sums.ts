/** Adds up numbers that all rows have under the same names. */
export function sumOf<Name extends string>(
  rows: readonly Readonly<Record<Name, number>>[],
  ...names: Name[]
): Record<Name, number> {
  const sums = names.map((name) => [name, rows.reduce((sum, row) => sum + row[name], 0)]);
  return Object.fromEntries(sums) as Record<Name, number>;
}

/** Returns by how much numbers have grown. */
export function growthOf<Name extends string>(
  now: Readonly<Record<Name, number>>,
  before: Readonly<Record<Name, number>>,
  ...names: Name[]
): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, now[name] - before[name]])) as Record<Name, number>;
}

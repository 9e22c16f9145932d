/**
 * Turns a stored count, which falls when old rows are deleted, into one that only increases while the process runs. What
 * is deleted between two calls is not missing: only a fall is ignored, and growth continues from there.
 */
export function createIncreasing(): (key: string, stored: number) => number {
  const known = new Map<string, { last: number; total: number }>();
  return (key, stored) => {
    const before = known.get(key) ?? { last: 0, total: 0 };
    const total = before.total + Math.max(0, stored - before.last);
    known.set(key, { last: stored, total });
    return total;
  };
}

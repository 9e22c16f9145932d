const smallMax = 1 << 20;

/**
 * Returns the next capacity of a column that is full. A small one doubles. A large one grows by an eighth, because the
 * room that is not used counts: a million rows are added in minutes, and take 100 MB.
 */
export function grown(capacity: number): number {
  return capacity < smallMax ? capacity * 2 : capacity + Math.ceil(capacity / 8);
}

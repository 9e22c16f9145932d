/** With fewer days of data, a page shows numbers and no chart. */
export const chartDaysMin = 3;

/** Returns whether the values of consecutive days, the last of which is today, are enough for a chart. */
export function hasEnoughDays(values: readonly number[]): boolean {
  const first = values.findIndex((value) => value > 0);
  return first !== -1 && values.length - first >= chartDaysMin;
}

import type { Instant } from "../../../platform/lib/clock.ts";

/** Whole numbers from 0 on, in the fewest bytes that hold the greatest of them. */
export type Numbers = Uint8Array | Uint16Array | Uint32Array;

/** Periods of 2^32 ms (50 days) after `firstPeriod`, likewise. */
type Periods = Int8Array | Int16Array | Int32Array;

/** Times in 5 bytes each, and 6 if one of them is before 2007 or after 2041. */
export interface Times {
  low: Uint32Array;
  periods: Periods;
}

/** Any array of a column. */
export type NumberArray = Numbers | Periods;

const periodMs = 2 ** 32;
const firstPeriod = 400;
const wider = new Map<unknown, new (length: number) => NumberArray>([
  [Uint8Array, Uint16Array],
  [Uint16Array, Uint32Array],
  [Int8Array, Int16Array],
  [Int16Array, Int32Array],
]);

/** Writes a number, and returns the array; a wider copy if the number needs one. */
export function withNumber<T extends NumberArray>(numbers: T, index: number, value: number): T {
  numbers[index] = value;
  if (numbers[index] === value) return numbers;
  const Wider = wider.get(numbers.constructor);
  if (Wider === undefined) throw new RangeError(`${value} does not fit into a column`);
  const copy = new Wider(numbers.length);
  copy.set(numbers);
  return withNumber(copy as T, index, value);
}

/** Returns a copy of an array with room for more numbers. */
export function enlarged<T extends NumberArray>(numbers: T, length: number): T {
  const copy = new (numbers.constructor as new (length: number) => T)(length);
  copy.set(numbers);
  return copy;
}

export function createTimes(length: number): Times {
  return { low: new Uint32Array(length), periods: new Int8Array(length) };
}

export function timeAt({ low, periods }: Times, index: number): Instant {
  return timeOf(periods[index] ?? 0, low[index] ?? 0);
}

/** Returns the time that is stored as these two numbers. */
export function timeOf(period: number, low: number): Instant {
  return (period + firstPeriod) * periodMs + low;
}

/** Returns the times of the first `count` of the rows. */
export function timesOf(
  { low, periods }: Times,
  { count, rows }: { count: number; rows: Int32Array },
): Float64Array {
  const found = new Float64Array(count);
  for (let index = 0; index < count; index += 1) {
    const row = rows[index] ?? 0;
    found[index] = timeOf(periods[row] ?? 0, low[row] ?? 0);
  }
  return found;
}

export function setTime(times: Times, index: number, time: Instant): void {
  const period = Math.floor(time / periodMs);
  times.low[index] = time - period * periodMs;
  times.periods = withNumber(times.periods, index, period - firstPeriod);
}

import { dayMs, type Instant } from "../../lib/clock.ts";
import { counted } from "../../lib/wording.ts";
import type { StoreSize } from "./stores.ts";

/** Growth is computed over the last days. Older samples say less about the next ones. */
const daysCompared = 30;

/** Sizes on a day. */
export interface GrowthSample {
  /** Beginning of the day, UTC. */
  day: Instant;
  sizes: readonly StoreSize[];
}

export interface Growth {
  /** Bytes per day by store, negative if it shrinks. Empty without two days to compare. */
  byStore: ReadonlyMap<string, number>;
  /** Growth of all stores together; undefined without two days to compare. */
  bytesPerDay: number | undefined;
  /** Number of days between the samples that were compared. */
  days: number;
}

/** Compares the newest sample with the oldest one of the 30 days before it. @param samples oldest first */
export function computeGrowth(samples: readonly GrowthSample[]): Growth {
  const newest = samples.at(-1);
  const oldest = newest && samples.find(({ day }) => day >= newest.day - daysCompared * dayMs);
  if (newest === undefined || oldest === undefined || oldest === newest)
    return { byStore: new Map(), bytesPerDay: undefined, days: 0 };
  const days = (newest.day - oldest.day) / dayMs;
  const before = new Map(oldest.sizes.map(({ store, bytes }) => [store, bytes]));
  const byStore = new Map(
    newest.sizes.map(({ store, bytes }) => [store as string, (bytes - (before.get(store) ?? 0)) / days]),
  );
  return { byStore, bytesPerDay: [...byStore.values()].reduce((sum, rate) => sum + rate, 0), days };
}

/** Returns the days until the disk is full; undefined while nothing grows. */
export function daysUntilFull(freeBytes: number, { bytesPerDay }: Growth): number | undefined {
  return bytesPerDay === undefined || bytesPerDay <= 0 ? undefined : Math.floor(freeBytes / bytesPerDay);
}

/** Beyond this, a forecast says nothing. */
const forecastDaysMax = 3 * 365;

/** Returns for how long the disk lasts, as a clause. */
export function untilFullText(days: number): string {
  return days > forecastDaysMax
    ? "at this rate, the disk lasts for more than three years"
    : `at this rate, the disk is full in ${counted(days, "day")}`;
}

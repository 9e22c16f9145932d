import type { Instant } from "../../../platform/lib/clock.ts";
import { severities } from "../../../platform/vocabulary/threats.ts";
import { kinds } from "./kinds.ts";
import { timeAt, timeOf, type Numbers, type Times } from "../arrays/numbers.ts";

export const sortKeys = ["first_seen", "severity", "similarity", "due", "status_changed", "name"] as const;
export type SortKey = (typeof sortKeys)[number];

/** The sort keys that are numbers. */
export const numberKeys = ["first_seen", "severity", "similarity", "due", "status_changed"] as const;
export type NumberKey = (typeof numberKeys)[number];

/** By number of the kind; the last one is for deleted threats. */
const severityRanks = [...kinds.map(({ severity }) => severities.length - severities.indexOf(severity)), 0];

/** In the order by due time, threats without one come after all others. Seconds, as in the column. */
const noDueTime = 2 ** 32;
const dueUnits = severities.length + 1;

interface KeyColumns {
  kindNumbers: Uint16Array;
  firstSeen: Times;
  statusChangedAt: Times;
  similarities: Uint16Array;
  dueAt: Numbers;
}

/** Returns a function from row to sort key, as one number: ties in severity and similarity are ordered by first
 * seen, ties in due time by severity. */
export function keyFunction(columns: KeyColumns, key: NumberKey): (row: number) => number {
  const { kindNumbers, firstSeen, statusChangedAt, similarities, dueAt } = columns;
  switch (key) {
    case "first_seen":
      return (row) => timeAt(firstSeen, row);
    case "status_changed":
      return (row) => timeAt(statusChangedAt, row);
    case "severity":
      return (row) => severityKey(kindNumbers[row] ?? 0, timeAt(firstSeen, row));
    case "similarity":
      return (row) => similarityKey(similarities[row] ?? 0, timeAt(firstSeen, row));
    case "due":
      return (row) => dueKey(dueAt[row] ?? 0, severityRanks[kindNumbers[row] ?? 0] ?? 0);
  }
}

/** Returns the same for one row. */
export function sortKeyAt(columns: KeyColumns, key: NumberKey, row: number): number {
  return keyFunction(columns, key)(row);
}

function severityKey(kind: number, firstSeen: Instant): number {
  return (severityRanks[kind] ?? 0) * 2 ** 44 + firstSeen;
}

/** With first seen in whole seconds, both fit into the 53 bits of a number. */
function similarityKey(similarity: number, firstSeen: Instant): number {
  return similarity * 2 ** 36 + Math.floor(firstSeen / 1000);
}

/** Orders threats that are due at the same time, or never, by severity. */
function dueKey(due: number, severityRank: number): number {
  return (due === 0 ? noDueTime : due) * dueUnits + severities.length - severityRank;
}

/** Returns a key that is greater than the key of each threat due before a time, and of no other. @param due seconds */
export function dueKeyFrom(due: number): number {
  return due * dueUnits;
}

/** Writes the keys of the first `count` rows. One loop per key, because a call for each of a million rows is slower. */
export function writeKeys(
  { kindNumbers, firstSeen, statusChangedAt, similarities, dueAt }: KeyColumns,
  key: NumberKey,
  rows: Int32Array,
  count: number,
  keys: Float64Array,
): void {
  // In variables, because the compiler reads fields of an object again for each row.
  const { low, periods } = key === "status_changed" ? statusChangedAt : firstSeen;
  if (key === "severity") {
    for (let index = 0; index < count; index += 1) {
      const row = rows[index] ?? 0;
      keys[index] = severityKey(kindNumbers[row] ?? 0, timeOf(periods[row] ?? 0, low[row] ?? 0));
    }
  } else if (key === "similarity") {
    for (let index = 0; index < count; index += 1) {
      const row = rows[index] ?? 0;
      keys[index] = similarityKey(similarities[row] ?? 0, timeOf(periods[row] ?? 0, low[row] ?? 0));
    }
  } else if (key === "due") {
    for (let index = 0; index < count; index += 1) {
      const row = rows[index] ?? 0;
      keys[index] = dueKey(dueAt[row] ?? 0, severityRanks[kindNumbers[row] ?? 0] ?? 0);
    }
  } else {
    for (let index = 0; index < count; index += 1) {
      const row = rows[index] ?? 0;
      keys[index] = timeOf(periods[row] ?? 0, low[row] ?? 0);
    }
  }
}

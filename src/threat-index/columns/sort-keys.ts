import { severities } from "../../vocabulary/threats.ts";
import { kinds } from "./kinds.ts";

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
  firstSeen: Float64Array;
  statusChangedAt: Float64Array;
  similarities: Uint16Array;
  dueAt: Uint32Array;
}

/** Returns a function from row to sort key, as one number: ties in severity and similarity are ordered by first
 * seen, ties in due time by severity. */
export function keyFunction(columns: KeyColumns, key: NumberKey): (row: number) => number {
  const { kindNumbers, firstSeen, statusChangedAt, similarities, dueAt } = columns;
  switch (key) {
    case "first_seen":
      return (row) => firstSeen[row]!;
    case "status_changed":
      return (row) => statusChangedAt[row]!;
    case "severity":
      return (row) => severityRanks[kindNumbers[row]!]! * 2 ** 44 + firstSeen[row]!;
    case "similarity":
      // With first seen in whole seconds, both fit into the 53 bits of a number.
      return (row) => similarities[row]! * 2 ** 36 + Math.floor(firstSeen[row]! / 1000);
    case "due":
      return (row) => dueKey(dueAt[row]!, severityRanks[kindNumbers[row]!]!);
  }
}

/** Orders threats that are due at the same time, or never, by severity. */
function dueKey(due: number, severityRank: number): number {
  return (due === 0 ? noDueTime : due) * dueUnits + severities.length - severityRank;
}

/** Returns a key that is greater than those of all threats due before a time, and than no others. @param due seconds */
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
  if (key === "severity") {
    for (let index = 0; index < count; index += 1) {
      const row = rows[index]!;
      keys[index] = severityRanks[kindNumbers[row]!]! * 2 ** 44 + firstSeen[row]!;
    }
  } else if (key === "similarity") {
    for (let index = 0; index < count; index += 1) {
      const row = rows[index]!;
      keys[index] = similarities[row]! * 2 ** 36 + Math.floor(firstSeen[row]! / 1000);
    }
  } else if (key === "due") {
    for (let index = 0; index < count; index += 1) {
      const row = rows[index]!;
      keys[index] = dueKey(dueAt[row]!, severityRanks[kindNumbers[row]!]!);
    }
  } else {
    const column = key === "first_seen" ? firstSeen : statusChangedAt;
    for (let index = 0; index < count; index += 1) keys[index] = column[rows[index]!]!;
  }
}

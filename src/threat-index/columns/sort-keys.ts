import { severities } from "../../vocabulary/threats.ts";
import { kinds } from "./kinds.ts";

export const sortKeys = ["first_seen", "severity", "similarity", "status_changed", "name"] as const;
export type SortKey = (typeof sortKeys)[number];

/** The sort keys that are numbers. */
export const numberKeys = ["first_seen", "severity", "similarity", "status_changed"] as const;
export type NumberKey = (typeof numberKeys)[number];

/** By number of the kind; the last one is for deleted threats. */
const severityRanks = [...kinds.map(({ severity }) => severities.length - severities.indexOf(severity)), 0];

interface KeyColumns {
  kindNumbers: Uint16Array;
  firstSeen: Float64Array;
  statusChangedAt: Float64Array;
  similarities: Uint16Array;
}

/** Returns a function from row to sort key, as one number: ties in severity and similarity are ordered by first seen. */
export function keyFunction(columns: KeyColumns, key: NumberKey): (row: number) => number {
  const { kindNumbers, firstSeen, statusChangedAt, similarities } = columns;
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
  }
}

/** Writes the keys of the first `count` rows. One loop per key, because a call for each of a million rows is slower. */
export function writeKeys(
  { kindNumbers, firstSeen, statusChangedAt, similarities }: KeyColumns,
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
  } else {
    const column = key === "first_seen" ? firstSeen : statusChangedAt;
    for (let index = 0; index < count; index += 1) keys[index] = column[rows[index]!]!;
  }
}

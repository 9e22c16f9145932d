import { kinds } from "./kinds.ts";
import { severities } from "./values.ts";

export const sortKeys = ["first_seen", "severity", "similarity", "status_changed", "name"] as const;
export type SortKey = (typeof sortKeys)[number];

/** Those that are numbers. */
export const numberKeys = ["first_seen", "severity", "similarity", "status_changed"] as const;
export type NumberKey = (typeof numberKeys)[number];

/** By number of the kind; the last is that of a threat that is no more. */
const severityRanks = [...kinds.map(({ severity }) => severities.length - severities.indexOf(severity)), 0];

/** What a row is sorted by, as one number each: severity and similarity with first seen behind them. */
export function keyFunction(
  columns: {
    kindNumbers: Uint16Array;
    firstSeen: Float64Array;
    statusChangedAt: Float64Array;
    similarities: Uint16Array;
  },
  key: NumberKey,
): (row: number) => number {
  const { kindNumbers, firstSeen, statusChangedAt, similarities } = columns;
  switch (key) {
    case "first_seen":
      return (row) => firstSeen[row]!;
    case "status_changed":
      return (row) => statusChangedAt[row]!;
    case "severity":
      return (row) => severityRanks[kindNumbers[row]!]! * 2 ** 44 + firstSeen[row]!;
    case "similarity":
      // Whole seconds leave room for both within the 53 bits of a number.
      return (row) => similarities[row]! * 2 ** 36 + Math.floor(firstSeen[row]! / 1000);
  }
}

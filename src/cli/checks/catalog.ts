import groups from "./catalog.json" with { type: "json" };

type Groups = typeof groups;

/** Stable identifier of a check. Programs can rely on it. */
export type CheckId = { [Group in keyof Groups]: keyof Groups[Group] }[keyof Groups];

interface CheckDefinition {
  /** Describes the state without a problem. Markdown. */
  meaning: string;
  /** Advice for a warning or an error. Markdown. */
  remedy: string;
}

/**
 * Every check by its group, in the order of the output, and by its identifier. The tables in the manual are generated from
 * it (`scripts/render-checks.ts`).
 */
export const checkGroups: Record<string, Record<string, CheckDefinition>> = groups;

/** Returns the heading below which the results of a check are printed. */
export function groupOf(check: CheckId): string {
  return Object.keys(checkGroups).find((group) => check in checkGroups[group]!)!;
}

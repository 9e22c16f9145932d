import {
  threatTypes,
  severities,
  threatSources,
  statuses,
  type Severity,
  type ThreatSource,
  type Status,
  type ThreatType,
} from "../../vocabulary/threats.ts";

/** The fields of a threat that have few distinct values. */
export interface Kind {
  type: ThreatType;
  status: Status;
  severity: Severity;
  source: ThreatSource;
}

/** All combinations; the index of one is its number. */
export const kinds: readonly Kind[] = threatTypes.flatMap((type) =>
  statuses.flatMap((status) =>
    severities.flatMap((severity) => threatSources.map((source) => ({ type, status, severity, source }))),
  ),
);
export const kindCount = kinds.length;
/** Number of the kind of deleted threats. */
export const deletedKind = kindCount;

const numbers = new Map(kinds.map((kind, number) => [keyOf(kind), number]));

export function kindNumberOf(kind: Kind): number {
  // Only a row that was edited by hand has other values. Not showing it is better than showing it wrongly.
  return numbers.get(keyOf(kind)) ?? deletedKind;
}

function keyOf({ type, status, severity, source }: Kind): string {
  return `${type} ${status} ${severity} ${source}`;
}

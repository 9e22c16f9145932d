import { threatTypes } from "../vocabulary/threats.ts";
import {
  severities,
  sources,
  statuses,
  type Severity,
  type Source,
  type Status,
  type ThreatType,
} from "../vocabulary/threats.ts";

/** What a threat is, of the values that it shares with many others. */
export interface Kind {
  type: ThreatType;
  status: Status;
  severity: Severity;
  source: Source;
}

/** Every combination; its place here is its number. */
export const kinds: readonly Kind[] = threatTypes.flatMap((type) =>
  statuses.flatMap((status) =>
    severities.flatMap((severity) => sources.map((source) => ({ type, status, severity, source }))),
  ),
);
export const kindCount = kinds.length;
/** The kind of a threat that is no more. */
export const goneKind = kindCount;

const numbers = new Map(kinds.map((kind, number) => [keyOf(kind), number]));

export function kindNumberOf(kind: Kind): number {
  // Only a row that was edited by hand has other values: better not shown than wrongly.
  return numbers.get(keyOf(kind)) ?? goneKind;
}

function keyOf({ type, status, severity, source }: Kind): string {
  return `${type} ${status} ${severity} ${source}`;
}

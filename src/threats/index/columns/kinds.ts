import { siteStates } from "../../../platform/vocabulary/site.ts";
import { threatTypes, severities, threatSources, statuses } from "../../../platform/vocabulary/threats.ts";

/** Every value of each field with few distinct values. The last field varies fastest in the numbers of the kinds. */
export const kindValues = {
  type: threatTypes,
  status: statuses,
  severity: severities,
  source: threatSources,
  /** Null: not determined yet. */
  siteState: [null, ...siteStates],
} as const;

/** The fields of a threat that have few distinct values. */
export type Kind = { [Field in keyof typeof kindValues]: (typeof kindValues)[Field][number] };

/** All combinations; the index of one is its number. */
export const kinds: readonly Kind[] = kindValues.type.flatMap((type) =>
  kindValues.status.flatMap((status) =>
    kindValues.severity.flatMap((severity) =>
      kindValues.source.flatMap((source) =>
        kindValues.siteState.map((siteState) => ({ type, status, severity, source, siteState })),
      ),
    ),
  ),
);
export const kindCount = kinds.length;
/** Number of the kind of deleted threats. */
export const deletedKind = kindCount;

/** 1 for the kinds of active threats, by number of the kind; the last one is for deleted threats. */
export const isActiveKind = Uint8Array.from([...kinds.map(({ status }) => (status === "active" ? 1 : 0)), 0]);

const kindFields = ["type", "status", "severity", "source", "siteState"] as const satisfies (keyof Kind)[];
const fieldValues: readonly (readonly (string | null)[])[] = kindFields.map((field) => kindValues[field]);

/** Compares texts, since hashing one that was just read takes longer than comparing it with a few others. */
export function kindNumberOf(kind: Kind): number {
  let number = 0;
  for (let field = 0; field < kindFields.length; field += 1) {
    const values = fieldValues[field]!;
    const value = kind[kindFields[field]!];
    let index = values.length - 1;
    while (index >= 0 && values[index] !== value) index -= 1;
    // Only a row that was edited by hand has other values. Not showing it is better than showing it wrongly.
    if (index === -1) return deletedKind;
    number = number * values.length + index;
  }
  return number;
}

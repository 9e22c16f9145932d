import type { ThreatType } from "../../../platform/vocabulary/threats.ts";
import { inWords, typeDescriptions } from "../kit/labels.ts";

/** The name of a type, explained by a tooltip. */
export function TypeName({ type }: { type: ThreatType }) {
  return <span title={typeDescriptions[type]}>{inWords(type)}</span>;
}

/** Explains the types, for a page that lists several. */
export function TypeLegend({ types }: { types: readonly ThreatType[] }) {
  return (
    <details>
      <summary>What the types mean</summary>
      <dl>
        {types.map((type) => (
          <>
            <dt>{inWords(type)}</dt>
            <dd>{typeDescriptions[type]}</dd>
          </>
        ))}
      </dl>
    </details>
  );
}

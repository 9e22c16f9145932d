import { StateMark } from "../kit/marks.tsx";

/** Marks a threat of which only the name is known. */
export function Unverified() {
  return (
    <span title="Only the name is known: no lookup has found it in DNS.">
      <StateMark tone="neutral">unverified</StateMark>
    </span>
  );
}

/** A number and a bar. The bar starts at 0.5 because lower similarities are hardly ever reported; 0.996 is not rounded up to 1.00. */
export function Similarity({ value }: { value: number }) {
  // The name of a copied page may have nothing in common with the protected domain.
  if (value === 0) return <span title="The name does not resemble the protected domain.">—</span>;
  return (
    <span class="similarity">
      <meter min="0.5" max="1" value={value} aria-hidden="true" />
      {(value < 1 ? Math.min(value, 0.99) : value).toFixed(2)}
    </span>
  );
}

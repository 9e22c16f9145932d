/** A set of hashes in 16 bytes per hash, without allocation per lookup. */
export interface HashSet {
  has(hash: number): boolean;
}

const empty = -1;

export function createHashSet(hashes: Float64Array): HashSet {
  const capacity = 2 ** Math.ceil(Math.log2(Math.max(8, 2 * hashes.length)));
  const slots = new Float64Array(capacity).fill(empty);
  const value = new Float64Array(1);
  const bits = new Uint32Array(value.buffer);
  const mask = capacity - 1;
  const slotOf = (hash: number) => {
    value[0] = hash;
    let slot = bits[0]! & mask;
    while (slots[slot] !== empty && slots[slot] !== hash) slot = (slot + 1) & mask;
    return slot;
  };
  for (const hash of hashes) slots[slotOf(hash)] = hash;
  return { has: (hash) => slots[slotOf(hash)] === hash };
}

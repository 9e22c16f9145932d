/** A set of hashes in 16 to 32 bytes per hash, without allocation per hash. */
export interface HashSet {
  add(hash: number): void;
  has(hash: number): boolean;
}

const empty = -1;

/** @param hashesMax maximum number of hashes that are added. */
export function createHashSet(hashesMax: number): HashSet {
  const capacity = 2 ** Math.ceil(Math.log2(Math.max(8, 2 * hashesMax)));
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
  return {
    add: (hash) => void (slots[slotOf(hash)] = hash),
    has: (hash) => slots[slotOf(hash)] === hash,
  };
}

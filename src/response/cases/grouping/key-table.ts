const slotsMin = 1_024;
const fillMax = 0.75;
/** Keys are larger. */
const free = 0;
const deleted = -1;

/** Creates a table from keys (whole numbers from 1 to 2^53) to 32-bit numbers, with 12 bytes for each slot. */
export function createKeyTable() {
  let keys = new Float64Array(slotsMin);
  let values = new Int32Array(slotsMin);
  /** Slots that are not free, deleted ones included. */
  let used = 0;
  let size = 0;

  /** Returns the slot of the key, or the first one that it may take. */
  function slotOf(key: number): number {
    const mask = keys.length - 1;
    let reusable = -1;
    for (let slot = firstSlot(key, mask); ; slot = (slot + 1) & mask) {
      const found = keys[slot]!;
      if (found === key) return slot;
      if (found === free) return reusable === -1 ? slot : reusable;
      if (found === deleted && reusable === -1) reusable = slot;
    }
  }

  function resize(): void {
    const [oldKeys, oldValues] = [keys, values];
    let slots = slotsMin;
    while (slots * fillMax <= size * 1.3) slots *= 2;
    keys = new Float64Array(slots);
    values = new Int32Array(slots);
    used = size;
    for (let index = 0; index < oldKeys.length; index += 1) {
      const key = oldKeys[index]!;
      if (key === free || key === deleted) continue;
      const slot = slotOf(key);
      keys[slot] = key;
      values[slot] = oldValues[index]!;
    }
  }

  return {
    /** Returns 0 for a key that is not in the table. */
    get(key: number): number {
      const slot = slotOf(key);
      return keys[slot] === key ? values[slot]! : 0;
    },
    set(key: number, value: number): void {
      let slot = slotOf(key);
      if (keys[slot] !== key) {
        if (used + 1 > keys.length * fillMax) {
          resize();
          slot = slotOf(key);
        }
        if (keys[slot] === free) used += 1;
        keys[slot] = key;
        size += 1;
      }
      values[slot] = value;
    },
    delete(key: number): void {
      const slot = slotOf(key);
      if (keys[slot] !== key) return;
      keys[slot] = deleted;
      size -= 1;
    },
  };
}

function firstSlot(key: number, mask: number): number {
  return (key % 0x1_0000_0000) & mask;
}

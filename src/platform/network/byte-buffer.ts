/** Bytes from the network, collected up to a limit. Takes linear time however small the pieces are. */
export type ByteBuffer = ReturnType<typeof createByteBuffer>;

/** Up to a thousand bytes, the runtime allocates an array without a buffer of its own, which takes a tenth of the time. */
const capacityAtFirst = 512;
/** Below this, copying one by one is faster than creating a view. */
const viewLengthMin = 64;

export function createByteBuffer(bytesMax: number) {
  let store = new Uint8Array(0);
  let length = 0;
  /** Whether somebody else has a view of `store`. */
  let isShared = false;

  // The capacity doubles, so that each byte is moved at most twice on average.
  const reserve = (needed: number) => {
    if (needed <= store.length) return;
    const capacity = Math.min(bytesMax, Math.max(needed, capacityAtFirst, store.length * 2));
    if (length === 0) {
      store = new Uint8Array(capacity);
    } else {
      // Transferring frees the old memory at once. Garbage collection would take as much again, and more.
      const old = isShared ? store.slice(0, length) : store;
      store = new Uint8Array(old.buffer.transfer(capacity));
    }
    isShared = false;
  };

  return {
    get length() {
      return length;
    },

    /** Adds `bytes` from index `from` to before `to`. Returns false if they exceed the limit; the excess is dropped. */
    add(bytes: Uint8Array, from = 0, to = bytes.length) {
      const end = Math.min(to, from + bytesMax - length);
      reserve(length + end - from);
      if (end - from >= viewLengthMin) {
        store.set(end - from === bytes.length ? bytes : bytes.subarray(from, end), length);
        length += end - from;
      } else {
        for (let index = from; index < end; index += 1) store[length++] = bytes[index]!;
      }
      return end === to;
    },

    /** Returns the collected bytes, which later additions do not change. */
    bytes(): Uint8Array {
      // A view would give a small array a buffer of its own.
      if (store.length === capacityAtFirst) return store.slice(0, length);
      isShared = true;
      return store.subarray(0, length);
    },

    /** Empties the buffer for reuse; bytes that were returned before become invalid. */
    clear: () => void (length = 0),
  };
}

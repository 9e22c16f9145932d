import type { Instant } from "../../../platform/lib/clock.ts";
import type { Needs } from "../../../platform/lib/needs.ts";

const slotsOfGeneration = 1 << 18;
/** A fuller table needs long searches. */
const namesOfGeneration = slotsOfGeneration / 2;
/** Names are forgotten after one to two times as long. */
const generationMs = 2 * 86_400_000;
const keyBytes = 32;

/**
 * Remembers names that matched nothing, because most certificates repeat the names of others. Its fingerprints have 64 bits
 * and a random key, because attackers choose names: a name that was never added is found with a probability of at most
 * 2^18 / 2^64, about 10^-14, and an attacker cannot find such a name. Two generations of 2^18 fingerprints take 4 MiB.
 */
export function createRecentNames({ now, fillRandom }: Needs<"fillRandom"> & { now: () => Instant }) {
  const key = new Uint8Array(keyBytes);
  fillRandom(key);
  let current = createGeneration(now());
  let previous = createGeneration(now());

  function fingerprint(name: string): Uint32Array {
    const digest = new Bun.CryptoHasher("sha256").update(key).update(name).digest();
    return new Uint32Array(digest.buffer, digest.byteOffset, 2);
  }

  return {
    has(name: string): boolean {
      const [low = 0, high = 0] = fingerprint(name);
      return current.has(low, high) || previous.has(low, high);
    },
    add(name: string): void {
      const age = Math.abs(now() - current.startedAt);
      if (current.count() >= namesOfGeneration || age >= generationMs) {
        // Much older names were added before a long pause.
        previous = age >= 2 * generationMs ? createGeneration(now()) : current;
        current = createGeneration(now());
      }
      const [low = 0, high = 0] = fingerprint(name);
      current.add(low, high);
    },
    /** Forgets everything, because the names were compared with other protected domains. */
    clear() {
      current = createGeneration(now());
      previous = createGeneration(now());
    },
  };
}

/** A hash table with open addressing. A slot holds two halves of a fingerprint; two zeros are an empty slot. */
function createGeneration(startedAt: Instant) {
  let slots: Uint32Array | undefined;
  let count = 0;

  function slotOf(table: Uint32Array, low: number, high: number): number {
    for (let slot = low % slotsOfGeneration; ; slot = (slot + 1) % slotsOfGeneration) {
      const [a, b] = [table[2 * slot]!, table[2 * slot + 1]!];
      if ((a === low && b === high) || (a === 0 && b === 0)) return slot;
    }
  }

  return {
    startedAt,
    count: () => count,
    has(low: number, high: number): boolean {
      if (slots === undefined || (low === 0 && high === 0)) return false;
      return slots[2 * slotOf(slots, low, high) + 1] !== 0 || slots[2 * slotOf(slots, low, high)] !== 0;
    },
    add(low: number, high: number): void {
      if (low === 0 && high === 0) return;
      slots ??= new Uint32Array(2 * slotsOfGeneration);
      const slot = slotOf(slots, low, high);
      if (slots[2 * slot] === 0 && slots[2 * slot + 1] === 0) count++;
      slots[2 * slot] = low;
      slots[2 * slot + 1] = high;
    },
  };
}

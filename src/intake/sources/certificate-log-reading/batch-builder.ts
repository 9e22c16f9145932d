import type { Instant } from "../../../platform/lib/clock.ts";
import type { Batch, BatchCounts, Candidate, LogProgress } from "./messages.ts";
import type { ScreenedBlock } from "./screen-block.ts";

/** A batch is sent when it reaches one of these, so that the memory of all batches in flight is bounded. */
const entriesMax = 1 << 13;
const nameBytesMax = 1 << 19;
const candidatesMax = 1 << 9;

/** Collects what the entries of one log contain until it is sent. */
export interface BatchBuilder {
  add(block: ScreenedBlock): void;
  skip(entries: number): void;
  isFull(): boolean;
  isEmpty(): boolean;
  /** Returns the batch, and starts the next one. */
  take(progress: LogProgress): Batch;
}

const noCounts: Readonly<BatchCounts> = { entries: 0, names: 0, malformed: 0, skipped: 0, bytes: 0 };

export function createBatchBuilder(): BatchBuilder {
  let counts = { ...noCounts };
  let candidates: Candidate[] = [];
  let names: Uint8Array[] = [];
  let nameBytes = 0;
  let tablesVersion = Infinity;
  let lastEntryAt: Instant | null = null;

  return {
    add(block) {
      counts.entries += block.entries;
      counts.names += block.nameCount;
      counts.malformed += block.malformed;
      counts.bytes += block.wireBytes;
      for (const candidate of block.candidates) candidates.push(candidate);
      names.push(block.names);
      nameBytes += block.names.length;
      // The oldest version decides: names that it dropped may match what was added since.
      tablesVersion = Math.min(tablesVersion, block.tablesVersion);
      lastEntryAt = block.lastAt ?? lastEntryAt;
    },
    skip: (entries) => void (counts.skipped += entries),
    isFull: () =>
      counts.entries >= entriesMax || nameBytes >= nameBytesMax || candidates.length >= candidatesMax,
    isEmpty: () => counts.entries === 0 && counts.skipped === 0,
    take(progress) {
      const joined = new Uint8Array(nameBytes);
      let used = 0;
      for (const part of names) {
        joined.set(part, used);
        used += part.length;
      }
      const batch = { progress, candidates, names: joined, tablesVersion, counts, lastEntryAt };
      counts = { ...noCounts };
      candidates = [];
      names = [];
      nameBytes = 0;
      tablesVersion = Infinity;
      lastEntryAt = null;
      return batch;
    },
  };
}

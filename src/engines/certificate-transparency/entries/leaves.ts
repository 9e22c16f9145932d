import { LogError, type EntryEncoding } from "../log.ts";
import { hashBytes } from "../trees/hashes.ts";

/** Types of entries (RFC 6962, section 3.1). */
export const x509Entry = 0;
export const precertificateEntry = 1;
export const issuerKeyHashBytes = 32;
export const timestampBytes = 8;

/** Largest time that a date can represent. */
const timestampMax = 8.64e15;

/** Maximum number of entries in one block. No log serves more than a few thousand at once. */
export const blockEntriesMax = 1 << 16;

/** Positions of the entries of a block and what was read about them. Reused for every block. */
export type Leaves = ReturnType<typeof createLeaves>;

export function createLeaves() {
  const leaves = {
    count: 0,
    /** Certificate or TBSCertificate of entry `i`: `bytes[starts[i]..ends[i])`; an empty range if there is none. */
    bytes: new Uint8Array(0) as Uint8Array,
    /** Milliseconds since the Unix epoch, as the log states it. */
    timestamps: new Float64Array(0),
    starts: new Int32Array(0),
    ends: new Int32Array(0),
    /** `x509Entry`, `precertificateEntry`, or another number. */
    types: new Uint16Array(0),
    /** Leaf hashes, 32 bytes each. */
    hashes: new Uint8Array(0),

    /** Prepares the arrays for as many entries. */
    clear(capacity: number): void {
      leaves.count = 0;
      if (leaves.starts.length >= capacity) return;
      leaves.timestamps = new Float64Array(capacity);
      leaves.starts = new Int32Array(capacity);
      leaves.ends = new Int32Array(capacity);
      leaves.types = new Uint16Array(capacity);
      leaves.hashes = new Uint8Array(capacity * hashBytes);
    },

    /** Adds an entry without its hash. */
    add(timestamp: number, type: number, start: number, end: number): void {
      const index = leaves.count++;
      leaves.timestamps[index] = Math.min(timestamp, timestampMax);
      leaves.types[index] = type;
      leaves.starts[index] = start;
      leaves.ends[index] = end;
    },
  };
  return leaves;
}

/** Memory that is reused. */
export interface Scratch {
  bytes: Uint8Array;
}

/** Larger memory is not kept after its use. Usual responses have 0.4 to 1.4 MB. */
export const retainedBytesMax = 4 * 1024 * 1024;

/** Returns at least as much memory, whose content is undefined. */
export function scratchOf(scratch: Scratch, bytes: number): Uint8Array {
  if (bytes <= scratch.bytes.length) return scratch.bytes;
  const larger = new Uint8Array(bytes);
  if (bytes <= retainedBytesMax) scratch.bytes = larger;
  return larger;
}

export function unsigned16(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) * 0x100 + (bytes[at + 1] ?? 0);
}

export function unsigned24(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) * 0x1_0000 + (bytes[at + 1] ?? 0) * 0x100 + (bytes[at + 2] ?? 0);
}

/** Inexact beyond 2^53. */
export function unsigned64(bytes: Uint8Array, at: number): number {
  const high = unsigned16(bytes, at) * 0x1_0000 + unsigned16(bytes, at + 2);
  return high * 2 ** 32 + unsigned16(bytes, at + 4) * 0x1_0000 + unsigned16(bytes, at + 6);
}

export function malformedBlock(what: string): LogError {
  return new LogError("response", what);
}

/** White space at the start of a JSON text is rare; more than this is not skipped. */
const headBytes = 4_096;

/** Returns the form of a file with entries, by its first bytes; undefined if it has none. */
export function detectEncoding(bytes: Uint8Array): EntryEncoding | undefined {
  const head = Buffer.from(bytes.subarray(0, headBytes)).toString("latin1").trimStart();
  if (head.startsWith("{")) {
    if (/^\{\s*"(Timestamp|Subject|DNS|IP)"/.test(head)) return "names_tile";
    return /"entries"\s*:/.test(head) ? "get_entries" : undefined;
  }
  // A data tile starts with a time in milliseconds: from 1978 to 2527 in these two bytes of eight, from 2004 in the third.
  return bytes.length > 8 && bytes[0] === 0 && bytes[1] === 0 && (bytes[2] ?? 0) > 0 && (bytes[2] ?? 0) < 0x10
    ? "data_tile"
    : undefined;
}

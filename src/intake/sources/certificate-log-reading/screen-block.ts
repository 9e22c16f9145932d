import type {
  EntryBatch,
  EntryScanner,
} from "../../../engines/certificate-transparency/entries/entry-scanner.ts";
import type { CertificateLog, EntryBlock } from "../../../engines/certificate-transparency/log.ts";
import { tilePath } from "../../../engines/certificate-transparency/reading/tiles.ts";
import { hashBytes } from "../../../engines/certificate-transparency/trees/hashes.ts";
import { tileWidth } from "../../../engines/certificate-transparency/trees/right-edge.ts";
import type { NameScreen } from "../../../engines/detection/filter/name-screen.ts";
import type { CertificateSighting } from "../../../threats/threats/record.ts";
import type { Candidate } from "./messages.ts";

/** Names in one result, beyond those of its first entry, so that hostile certificates take bounded memory. */
const namesMax = 1 << 15;

/** Reads some entries of a block. */
export type ScreenBlock = ReturnType<typeof createBlockScreen>;

/** Result of reading a block. Nothing in it refers to the block. */
export type ScreenedBlock = ReturnType<ScreenBlock>;

interface EntryRange {
  log: CertificateLog;
  from: number;
  to: number;
  /** Whether the entries will be compared with a tree head. Those of a names tile never are. */
  isVerified: boolean;
}

/** Prefilter of names, and the version of its tables. */
export interface VersionedScreen {
  version: number;
  screenNames: NameScreen;
}

/** Passes all names. */
export const passAll: VersionedScreen = {
  version: 0,
  screenNames: (_names, _from, to) => new Uint8Array(to).fill(1),
};

const noBytes = new Uint8Array(0);

/** @param current returns the present prefilter */
export function createBlockScreen(dependencies: { scanner: EntryScanner; current: () => VersionedScreen }) {
  const { scanner, current } = dependencies;
  /**
   * Reads the entries of a block from index `from` to before `to`.
   * @throws LogError `response` if the block is malformed
   */
  return (block: EntryBlock, { log, from, to, isVerified }: EntryRange) => {
    const { version, screenNames } = current();
    const batch = scanner.scan(block);
    const isNames = block.encoding === "names_tile";
    const end = block.firstIndex + (isNames ? block.countMax : batch.count);
    const covered = Math.min(end, to);
    const base = { tablesVersion: version, wireBytes: block.wireBytes, isCut: false };
    if (from < block.firstIndex || covered <= from) {
      const nothing = { entries: 0, leafHashes: null, names: noBytes, nameCount: 0, candidates: [] };
      return { ...nothing, ...base, malformed: 0, lastAt: null };
    }
    // The lines of a names tile do not tell which entries they are, so all of them count.
    const first = isNames ? 0 : from - block.firstIndex;
    const all = isNames ? batch.count : covered - block.firstIndex;
    const last = isNames ? all : lastOf(batch, first, all);
    const isCut = last < all;
    const range = namesOf(batch, first, last);
    return {
      ...base,
      /** Number of entries from `from` on; 0 if the block does not contain it. */
      entries: covered - from - (all - last),
      /** 32 bytes for each entry; null if the block cannot be verified. */
      leafHashes: isNames ? null : batch.leafHashes.slice(first * hashBytes, last * hashBytes),
      /** All names, each followed by a line feed. */
      names: batch.names.bytes.slice(range.startByte, range.endByte),
      nameCount: range.end - range.start,
      /** Names that passed the prefilter. */
      candidates: candidatesOf(batch, { ...range, screenNames, log, isVerified: isVerified && !isNames }),
      /** Entries in which no certificate could be read completely: counted once, with the last part of the block. */
      malformed: isCut ? 0 : batch.malformed,
      wireBytes: isCut ? 0 : block.wireBytes,
      /** Whether the block has further entries of the range, which another call reads: these have many names already. */
      isCut,
      /** Time of the last entry; null if there is none. */
      lastAt: last > first ? (batch.timestamps[last - 1] ?? 0) : null,
    };
  };
}

/** Returns the end of the entries from `first` that have at most `namesMax` names together: at least one, at most `last`. */
function lastOf(batch: EntryBatch, first: number, last: number): number {
  const { start, end } = namesOf(batch, first, last);
  return end - start <= namesMax ? last : Math.max(first + 1, batch.names.entries[start + namesMax] ?? 0);
}

/** Finds the names of the entries from `first` to before `last`; names are in the order of the entries. */
function namesOf({ names }: EntryBatch, first: number, last: number) {
  let start = 0;
  while (start < names.count && (names.entries[start] ?? 0) < first) start++;
  let end = names.count;
  while (end > start && (names.entries[end - 1] ?? 0) >= last) end--;
  const startByte = start < end ? (names.starts[start] ?? 0) : 0;
  // The line feed belongs to the name.
  const endByte = start < end ? (names.ends[end - 1] ?? 0) + 1 : 0;
  return { start, end, startByte, endByte };
}

function candidatesOf(
  batch: EntryBatch,
  options: { start: number; end: number; screenNames: NameScreen; log: CertificateLog; isVerified: boolean },
): Candidate[] {
  const { start, end, screenNames, log, isVerified } = options;
  const { bytes, starts, ends, entries } = batch.names;
  const passed = screenNames(batch.names, start, end);
  const candidates: Candidate[] = [];
  // The names of a certificate share one object, also after it was sent to another thread.
  let certificate: CertificateSighting | undefined;
  let certificateOf = -1;
  for (let i = start; i < end; i++) {
    if (passed[i] === 0) continue;
    const entry = entries[i] ?? 0;
    if (certificate === undefined || certificateOf !== entry) {
      const index = batch.firstIndex + entry;
      certificateOf = entry;
      certificate = {
        ...batch.certificate(entry),
        log: log.description,
        entryUrl: entryUrl(log, index),
        index,
        isVerified,
      };
    }
    candidates.push({
      name: Buffer.from(
        bytes.buffer,
        bytes.byteOffset + (starts[i] ?? 0),
        (ends[i] ?? 0) - (starts[i] ?? 0),
      ).toString("latin1"),
      seenAt: batch.timestamps[entry] ?? 0,
      certificate,
    });
  }
  return candidates;
}

/** Returns the address at which a log serves an entry: for static logs, the tile that contains it. */
function entryUrl({ protocol, url }: CertificateLog, index: number): string {
  if (protocol === "rfc6962") return `${url}ct/v1/get-entries?start=${index}&end=${index}`;
  return `${url}${tilePath({ kind: "data", index: Math.floor(index / tileWidth), width: tileWidth })}`;
}

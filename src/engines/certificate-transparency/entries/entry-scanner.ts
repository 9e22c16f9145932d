import type { EntryBlock } from "../log.ts";
import { hashBytes } from "../trees/hashes.ts";
import { readDetails, unknownCertificate, type CertificateDetails } from "./certificate-details.ts";
import { createCertificateParts, readNames, type CertificateForm } from "./certificate-names.ts";
import { readDataTile, readNamesTile } from "./data-tile.ts";
import { createDerElement } from "./der.ts";
import { readGetEntries } from "./get-entries.ts";
import { createLeaves, malformedBlock, precertificateEntry } from "./leaves.ts";
import { createNameBuffer, type NameBuffer } from "./name-buffer.ts";

/** Entries of a block with their names. Valid until the next block is scanned. */
export interface EntryBatch {
  /** Index of the first entry. Entries left out of a names tile make the following ones appear one too low. */
  firstIndex: number;
  count: number;
  /** Hashes for the Merkle tree, 32 bytes for each entry, one after another; empty for a names tile. */
  leafHashes: Uint8Array;
  /** When the log accepted each entry. At least `count` elements. */
  timestamps: Float64Array;
  /** Names of all entries, each followed by a line feed. Name `i` is from `starts[i]` to before `ends[i]`. */
  names: Pick<NameBuffer, "count" | "starts" | "ends" | "entries"> & { bytes: Uint8Array };
  /** Entries whose certificate could not be read completely. Their other names are in `names`. */
  malformed: number;
  /** Alternative names in which no host name was found. */
  invalidNames: number;
  /** Reads what identifies the certificate of an entry, by its number in the batch. */
  certificate(entry: number): CertificateDetails;
}

/** A block of entries. `countMax` is null if nothing is known about the number of entries. */
export type ScannedBlock = Pick<EntryBlock, "encoding" | "bytes" | "firstIndex"> & {
  countMax: number | null;
};

/**
 * Splits blocks into entries and reads their names. Its memory is bounded by a few times the block; between blocks it
 * keeps at most a few MiB.
 */
export interface EntryScanner {
  /** Throws `LogError` of the kind `response` if the block is malformed or has another number of entries. */
  scan(block: ScannedBlock): EntryBatch;
}

export function createEntryScanner(): EntryScanner {
  const leaves = createLeaves();
  const names = createNameBuffer();
  const parts = createCertificateParts();
  const scratch = { bytes: new Uint8Array(1 << 16) };

  const formOf = (entry: number): CertificateForm =>
    leaves.types[entry] === precertificateEntry ? "tbs" : "certificate";

  /** Returns the number of malformed certificates. */
  function readAllNames(): number {
    let malformed = 0;
    const der = createDerElement(leaves.bytes);
    const certificate = { start: 0, end: 0, form: formOf(0) };
    for (let entry = 0; entry < leaves.count; entry++) {
      names.startEntry(entry);
      certificate.start = leaves.starts[entry] ?? 0;
      certificate.end = leaves.ends[entry] ?? 0;
      certificate.form = formOf(entry);
      if (!readNames(der, parts, names, certificate)) malformed++;
    }
    return malformed;
  }

  return {
    scan({ encoding, bytes, firstIndex, countMax }) {
      names.clear();
      let malformed: number;
      if (encoding === "names_tile") malformed = readNamesTile(bytes, leaves, names);
      else {
        if (encoding === "data_tile") readDataTile(bytes, leaves, scratch);
        else readGetEntries(bytes, leaves, scratch);
        malformed = readAllNames();
      }
      const { count } = leaves;
      checkCount(encoding, count, countMax);
      const hashed = encoding === "names_tile" ? 0 : count;
      return {
        firstIndex,
        count,
        leafHashes: leaves.hashes.subarray(0, hashed * hashBytes),
        timestamps: leaves.timestamps,
        names: {
          bytes: names.bytes.subarray(0, names.length),
          count: names.count,
          starts: names.starts,
          ends: names.ends,
          entries: names.entries,
        },
        malformed,
        invalidNames: names.invalid,
        certificate(entry) {
          const [start, end] = [leaves.starts[entry] ?? 0, leaves.ends[entry] ?? 0];
          if (encoding === "names_tile" || start === end) return unknownCertificate;
          return readDetails(leaves.bytes, { start, end, form: formOf(entry) });
        },
      };
    },
  };
}

function checkCount(encoding: EntryBlock["encoding"], count: number, countMax: number | null): void {
  if (encoding === "get_entries" && count === 0) throw malformedBlock("the response has no entries");
  if (countMax === null) return;
  if (encoding === "data_tile" && count !== countMax) {
    throw malformedBlock(`the data tile has ${count} instead of ${countMax} entries`);
  }
  if (count > countMax)
    throw malformedBlock(`the response has ${count} entries, more than the ${countMax} requested`);
}

/** Data tiles of static-ct-api: TileLeaf structures, one after another. */
import { hashBytes } from "../trees/hashes.ts";
import { tileWidth } from "../trees/right-edge.ts";
import {
  issuerKeyHashBytes,
  malformedBlock,
  precertificateEntry,
  scratchOf,
  timestampBytes,
  unsigned16,
  unsigned24,
  unsigned64,
  x509Entry,
  type Leaves,
  type Scratch,
} from "./leaves.ts";
import type { NameBuffer } from "./name-buffer.ts";

/** Leaf prefix of the tree hash, then version and type of a MerkleTreeLeaf: all zero. */
const hashedPrefixBytes = 3;
const typeBytes = 2;

/**
 * Reads the entries of a data tile with their hashes into `leaves`. Throws `LogError` if the tile is malformed: what
 * follows a malformed entry cannot be found.
 */
export function readDataTile(tile: Uint8Array, leaves: Leaves, scratch: Scratch): void {
  leaves.clear(tileWidth);
  leaves.bytes = tile;
  const hash = new Uint8Array(hashBytes);
  for (let at = 0; at < tile.length;) {
    const index = leaves.count;
    if (index === tileWidth) throw malformedBlock(`the data tile has more than ${tileWidth} entries`);
    const end = readTimestampedEntry(tile, at, leaves);
    const length = hashedPrefixBytes + end - at;
    const hashed = scratchOf(scratch, length);
    hashed.fill(0, 0, hashedPrefixBytes);
    hashed.set(tile.subarray(at, end), hashedPrefixBytes);
    Bun.SHA256.hash(hashed.subarray(0, length), hash);
    leaves.hashes.set(hash, index * hashBytes);
    at = skipRest(tile, end, leaves.types[index] ?? 0, index);
  }
}

/** Reads the TimestampedEntry at `at`. Returns its end. */
function readTimestampedEntry(tile: Uint8Array, at: number, leaves: Leaves): number {
  const index = leaves.count;
  let position = at + timestampBytes + typeBytes;
  if (position > tile.length) throw endsWithin(index);
  const type = unsigned16(tile, position - typeBytes);
  if (type !== x509Entry && type !== precertificateEntry) {
    throw malformedBlock(`entry ${index} of the data tile has the unknown type ${type}`);
  }
  if (type === precertificateEntry) position += issuerKeyHashBytes;
  if (position + 3 > tile.length) throw endsWithin(index);
  const start = position + 3;
  const end = start + unsigned24(tile, position);
  if (end + 2 > tile.length) throw endsWithin(index);
  const extensionsEnd = end + 2 + unsigned16(tile, end);
  if (extensionsEnd > tile.length) throw endsWithin(index);
  leaves.add(unsigned64(tile, at), type, start, end);
  return extensionsEnd;
}

/** Returns the end of what follows a TimestampedEntry: the precertificate and the fingerprints of the chain. */
function skipRest(tile: Uint8Array, at: number, type: number, index: number): number {
  let position = at;
  if (type === precertificateEntry) {
    if (position + 3 > tile.length) throw endsWithin(index);
    position += 3 + unsigned24(tile, position);
  }
  if (position + 2 > tile.length) throw endsWithin(index);
  position += 2 + unsigned16(tile, position);
  if (position > tile.length) throw endsWithin(index);
  return position;
}

function endsWithin(index: number) {
  return malformedBlock(`the data tile ends within entry ${index}`);
}

/**
 * Names tiles of Sunlight: JSON lines `{Timestamp, Subject: {CommonName}, DNS: []}`. No signature covers them. Entries that
 * the log could not encode are left out.
 */

interface NamesLine {
  Timestamp?: unknown;
  Subject?: { CommonName?: unknown } | null;
  DNS?: unknown;
}

const lineFeed = 0x0a;

/** Reads the entries of a names tile. Returns the number of malformed lines. Throws `LogError` if the tile has too many. */
export function readNamesTile(tile: Uint8Array, leaves: Leaves, names: NameBuffer): number {
  leaves.clear(tileWidth);
  leaves.bytes = tile;
  let malformed = 0;
  const text = Buffer.from(tile.buffer, tile.byteOffset, tile.length);
  for (let start = 0, end: number; start < text.length; start = end + 1) {
    end = text.indexOf(lineFeed, start);
    if (end === -1) end = text.length;
    if (end === start) continue;
    if (leaves.count === tileWidth) throw malformedBlock(`the names tile has more than ${tileWidth} entries`);
    names.startEntry(leaves.count);
    const line = parsed(text.toString("utf8", start, end));
    if (!addNames(line, names)) malformed++;
    const timestamp = typeof line?.Timestamp === "number" ? Math.max(0, Math.trunc(line.Timestamp)) : 0;
    leaves.add(timestamp, 0, start, start);
  }
  return malformed;
}

/** Adds the names of a line. Returns whether all parts of it have the form that is expected. */
function addNames(line: NamesLine | null, names: NameBuffer): boolean {
  if (line === null || typeof line !== "object") return false;
  const { DNS = [], Subject } = line;
  let intact = Array.isArray(DNS);
  for (const name of Array.isArray(DNS) ? DNS : []) {
    if (typeof name === "string") {
      const bytes = Buffer.from(name);
      names.addAlternativeName(bytes, 0, bytes.length);
    } else intact = false;
  }
  const commonName = Subject?.CommonName;
  if (typeof commonName === "string") {
    const bytes = Buffer.from(commonName);
    names.addCommonName(bytes, 0, bytes.length);
  }
  return intact;
}

function parsed(line: string): NamesLine | null {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

import type { EntryBlock } from "../log.ts";
import { hashBytes } from "../trees/hashes.ts";
/** Short names of the attributes of RFC 4514, section 3, by the content of the OID in hexadecimal. */
import attributeNames from "./attribute-names.json" with { type: "json" };
import { createCertificateParts, readNames, type CertificateForm, readParts } from "./certificate-names.ts";
import { createDerElement, derTags, readElement, readTagged, type DerElement, stringText } from "./der.ts";
import { readGetEntries } from "./get-entries.ts";
import {
  createLeaves,
  malformedBlock,
  precertificateEntry,
  issuerKeyHashBytes,
  scratchOf,
  timestampBytes,
  unsigned16,
  unsigned24,
  unsigned64,
  x509Entry,
  type Leaves,
  type Scratch,
} from "./leaves.ts";
import { createNameBuffer, type NameBuffer } from "./name-buffer.ts";
import type { Instant } from "../../../platform/lib/clock.ts";
import { parseJson } from "../../../platform/lib/json.ts";
import { tileWidth } from "../trees/right-edge.ts";

/** Entries of a block with their names. Valid until the next block is scanned. */
export type EntryBatch = ReturnType<EntryScanner["scan"]>;

/** A block of entries. `countMax` is null if nothing is known about the number of entries. */
export type ScannedBlock = Pick<EntryBlock, "encoding" | "bytes" | "firstIndex"> & {
  countMax: number | null;
};

/**
 * Splits blocks into entries and reads their names. Its memory is bounded by a few times the block; between blocks it
 * keeps at most a few MiB.
 */
export type EntryScanner = ReturnType<typeof createEntryScanner>;

export function createEntryScanner() {
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
    /** Throws `LogError` of the kind `response` if the block is malformed or has another number of entries. */
    scan({ encoding, bytes, firstIndex, countMax }: ScannedBlock) {
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
        /** Index of the first entry. Entries left out of a names tile make the following ones appear one too low. */
        firstIndex,
        count,
        /** Hashes for the Merkle tree, 32 bytes for each entry, one after another; empty for a names tile. */
        leafHashes: leaves.hashes.subarray(0, hashed * hashBytes),
        /** When the log accepted each entry. At least `count` elements. */
        timestamps: leaves.timestamps,
        /** Names of all entries, each followed by a line feed. Name `i` is from `starts[i]` to before `ends[i]`. */
        names: { ...names, bytes: names.bytes.subarray(0, names.length) },
        /** Entries whose certificate could not be read completely. Their other names are in `names`. */
        malformed,
        /** Alternative names in which no host name was found. */
        invalidNames: names.invalid,

        /** Reads what identifies the certificate of an entry, by its number in the batch. */
        certificate(entry: number) {
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

const unknownCertificate = {
  /** Distinguished name, such as "C=US, O=Let's Encrypt, CN=R11"; "" if unknown. May contain any character. */
  issuer: "",
  /** Hexadecimal, lowercase, without leading zero bytes; "" if unknown. */
  serial: "",
  /** Null if unknown. */
  notBefore: null as Instant | null,
};

/** Fields that identify a certificate, and when it was issued. */
type CertificateDetails = typeof unknownCertificate;

/** Maximum number of characters of an issuer. */
const issuerLengthMax = 500;
/** RFC 5280 permits 20 bytes. */
const serialBytesMax = 64;

/** Reads the details of a certificate: `bytes` from `start` to before `end`. Never throws. */
export function readDetails(
  bytes: Uint8Array,
  certificate: { start: number; end: number; form: CertificateForm },
): CertificateDetails {
  const der = createDerElement(bytes);
  const parts = createCertificateParts();
  if (!readParts(der, parts, certificate)) return unknownCertificate;
  return {
    issuer: distinguishedName(der, parts.issuerStart, parts.issuerEnd),
    serial: serialNumber(bytes.subarray(parts.serialStart, parts.serialEnd)),
    notBefore: readElement(der, parts.validityStart, parts.validityEnd) ? time(der) : null,
  };
}

function serialNumber(bytes: Uint8Array): string {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  return Buffer.from(bytes.subarray(start, start + serialBytesMax)).toString("hex");
}

/** Returns the attributes in the order of the certificate; those before a malformed one. */
function distinguishedName(der: DerElement, start: number, limit: number): string {
  const attributes: string[] = [];
  for (let at = start, length = 0; at < limit && length < issuerLengthMax;) {
    if (!readTagged(der, derTags.set, at, limit)) break;
    const end = der.end;
    at = end;
    for (let next = der.start; next < end;) {
      const text = readTagged(der, derTags.sequence, next, end) ? attribute(der) : undefined;
      if (text === undefined) return attributes.join(", ").slice(0, issuerLengthMax);
      next = der.end;
      attributes.push(text);
      length += text.length;
    }
  }
  return attributes.join(", ").slice(0, issuerLengthMax);
}

/** Reads the attribute that is the last element of the cursor. Leaves the cursor at its end. */
function attribute(der: DerElement): string | undefined {
  const { start, end } = der;
  if (!readTagged(der, derTags.objectIdentifier, start, end)) return undefined;
  const id = Buffer.from(der.bytes.subarray(der.start, Math.min(der.end, der.start + 32))).toString("hex");
  if (!readElement(der, der.end, end)) return undefined;
  const value = stringText(der).slice(0, issuerLengthMax);
  der.end = end;
  const name = (attributeNames as Partial<Record<string, string>>)[id] ?? `OID.${id}`;
  return `${name}=${value.replace(/[,\\]/g, "\\$&")}`;
}

/** Reads a UTCTime or a GeneralizedTime (RFC 5280, section 4.1.2.5). */
function time({ bytes, tag, start, end }: DerElement): Instant | null {
  const text = Buffer.from(bytes.subarray(start, Math.min(end, start + 20))).toString("latin1");
  const form = tag === derTags.utcTime ? /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/ : undefined;
  const digits = (form ?? /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/).exec(text)?.slice(1).map(Number);
  if (digits === undefined) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = digits;
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60) return null;
  // RFC 5280: years of two digits are those from 1950 to 2049.
  const fullYear = form === undefined ? year : year + (year < 50 ? 2000 : 1900);
  return Date.UTC(fullYear, month - 1, day, hour, minute, second);
}

/** Data tiles of static-ct-api: TileLeaf structures, one after another. */

/** Leaf prefix of the tree hash, then version and type of a MerkleTreeLeaf: all zero. */
const hashedPrefixBytes = 3;
const typeBytes = 2;

/**
 * Reads the entries of a data tile with their hashes into `leaves`. Throws `LogError` if the tile is malformed: what
 * follows a malformed entry cannot be found.
 */
function readDataTile(tile: Uint8Array, leaves: Leaves, scratch: Scratch): void {
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
function readNamesTile(tile: Uint8Array, leaves: Leaves, names: NameBuffer): number {
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
    const line = parseJson(text.toString("utf8", start, end)) as NamesLine | null | undefined;
    if (!addNames(line, names)) malformed++;
    const timestamp = typeof line?.Timestamp === "number" ? Math.max(0, Math.trunc(line.Timestamp)) : 0;
    leaves.add(timestamp, 0, start, start);
  }
  return malformed;
}

/** Adds the names of a line. Returns whether all parts of it have the form that is expected. */
function addNames(line: NamesLine | null | undefined, names: NameBuffer): boolean {
  if (typeof line !== "object" || line === null) return false;
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

import { isBlank, tooLong, type LineParser } from "./plain-lines.ts";

// Records whose owner is a host or a delegation. Signatures and their chains repeat or hash the owners.
const ownerTypes = new Set(["NS", "A", "AAAA", "CNAME", "DNAME", "MX", "TXT", "SRV", "DS", "CAA", "HTTPS"]);
const classes = new Set(["IN", "CH", "HS"]);

/** Number of bytes after the owner that contain TTL, class and type. */
const typeBytesMax = 64;
const originBytesMax = 255;

const semicolon = 0x3b;
const dollar = 0x24;
const dot = 0x2e;
const at = 0x40;

/** A record at whose line an owner is written. */
export interface OwnerRecord {
  /** TTL, class, type and the first part of the data. */
  behindOwner: Uint8Array;
  /** Returns the owner, completed by the origin, without its trailing dot. */
  owner(): Uint8Array;
}

/** Takes the names of the records of one block. Returns the part of the owner that is the name, if there is one. */
export type TakeName = (record: OwnerRecord) => { start: number; length: number } | undefined;

/**
 * Parses a zone in master file format (RFC 1035, section 5.1), as registries publish it. Takes the owner of each record,
 * once for adjacent records with the same owner. `$ORIGIN` completes relative names; `$INCLUDE` is not followed.
 */
export function createZoneParser(): LineParser {
  return createRecordParser({
    dataBytesMax: typeBytesMax,
    startBlock() {
      let previous: Uint8Array = new Uint8Array(0);
      return ({ behindOwner, owner }) => {
        if (!ownerTypes.has(typeOf(behindOwner))) return undefined;
        const name = owner();
        if (Buffer.compare(name, previous) === 0) return undefined;
        previous = name;
        return { start: 0, length: name.length };
      };
    },
  });
}

/**
 * Parses the records of a zone file.
 *
 * @param dataBytesMax number of bytes after the owner that `TakeName` sees
 * @param onOrigin called with each new origin
 */
export function createRecordParser({
  dataBytesMax,
  startBlock,
  onOrigin,
}: {
  dataBytesMax: number;
  startBlock: () => TakeName;
  onOrigin?: (origin: Uint8Array) => void;
}): LineParser {
  let origin: Uint8Array = new Uint8Array(0);
  let parentheses = 0;
  let names = new Uint8Array(0);

  return (block, chunk) => {
    const { bytes, starts, ends, nexts, count } = block;
    const bytesMax = (nexts[count - 1] ?? 0) + count * (originBytesMax + 1);
    if (names.length < bytesMax) names = new Uint8Array(bytesMax);
    let used = 0;
    const take = startBlock();
    chunk.start(block, names);
    for (let i = 0; i < count; i++) {
      const start = starts[i]!;
      const end = ends[i]!;
      if (end < 0) {
        chunk.error(tooLong, i);
        continue;
      }
      const continued = parentheses > 0;
      parentheses = parenthesesAfter(bytes, start, end, parentheses);
      // A line that starts with white space continues with the previous owner.
      if (continued || start === end || isBlank(bytes[start]!) || bytes[start] === semicolon) continue;
      if (bytes[start] === dollar) {
        origin = originAfter(bytes.subarray(start, end), origin);
        onOrigin?.(origin);
        continue;
      }
      const ownerEnd = endOfField(bytes, start, end);
      let length = 0;
      const name = take({
        behindOwner: bytes.subarray(ownerEnd, Math.min(end, ownerEnd + dataBytesMax)),
        owner() {
          length = writeName(bytes.subarray(start, ownerEnd), origin, names, used);
          return names.subarray(used, used + length);
        },
      });
      if (name === undefined) continue;
      chunk.name(used + name.start, used + name.start + name.length, i);
      used += length;
    }
    return undefined;
  };
}

/** Writes the owner without its trailing dot, completed by the origin if it is relative. */
function writeName(owner: Uint8Array, origin: Uint8Array, into: Uint8Array, offset: number): number {
  if (owner.length === 1 && owner[0] === at) {
    into.set(origin, offset);
    return origin.length;
  }
  if (owner.at(-1) === dot) {
    into.set(owner.subarray(0, -1), offset);
    return owner.length - 1;
  }
  into.set(owner, offset);
  if (origin.length === 0) return owner.length;
  into[offset + owner.length] = dot;
  into.set(origin, offset + owner.length + 1);
  return owner.length + 1 + origin.length;
}

function originAfter(line: Uint8Array, origin: Uint8Array): Uint8Array {
  const [directive, name] = text(line.subarray(0, 2 * originBytesMax)).split(/[\s;]+/, 2);
  if (directive!.toUpperCase() !== "$ORIGIN" || name === undefined || name.length > originBytesMax)
    return origin;
  const written = new Uint8Array(2 * originBytesMax + 1);
  const length = writeName(new TextEncoder().encode(name), origin, written, 0);
  return length > originBytesMax ? origin : written.slice(0, length);
}

/** Returns the type of a record. Before it are the TTL and the class, in either order. */
function typeOf(behindOwner: Uint8Array): string {
  return typeAndData(behindOwner)[0] ?? "";
}

/** Returns the type of a record and the fields of its data, in upper case. */
export function typeAndData(behindOwner: Uint8Array): string[] {
  const fields = text(behindOwner).trim().toUpperCase().split(/\s+/);
  const type = fields.findIndex((field) => !classes.has(field) && !/^\d+[SMHDW]?$/.test(field));
  return type < 0 ? [] : fields.slice(type);
}

function parenthesesAfter(bytes: Uint8Array, start: number, end: number, open: number): number {
  let quoted = false;
  for (let i = start; i < end; i++) {
    const byte = bytes[i]!;
    if (byte === 0x5c) i++;
    else if (byte === 0x22) quoted = !quoted;
    else if (quoted) continue;
    else if (byte === semicolon) break;
    else if (byte === 0x28) open++;
    else if (byte === 0x29 && open > 0) open--;
  }
  return open;
}

function endOfField(bytes: Uint8Array, start: number, end: number): number {
  let i = start;
  while (i < end && !isBlank(bytes[i]!)) i++;
  return i;
}

export function text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}

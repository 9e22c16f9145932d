/** Copies valid names, in canonical form, and leaves out everything else. */
import { hostCharacters } from "../../../platform/lib/host-names.ts";
import { labelBytesMax, nameBytesMax, normalizeName } from "../../detection/names/name.ts";

const lineFeed = 0x0a;
const dot = 0x2e;
const star = 0x2a;
const firstPrintable = 0x21;
const firstBeyondAscii = 0x7f;
/** Longer lines hold no name: a name of 253 characters takes four bytes for each at most. */
const lineBytesMax = 1024;

const utf8 = new TextDecoder();

/**
 * Copies the valid names of `lines` into `target` from `offset` on, each with a line feed: lowercase A-labels without a
 * trailing dot and without `*.`. A name is valid if `normalizeName` accepts it.
 * @param lines names, each followed by a line feed
 */
export function copyValidNames(
  lines: Uint8Array,
  target: Uint8Array,
  offset = 0,
  { start = 0, countMax = Infinity }: { start?: number; countMax?: number } = {},
) {
  let at = start;
  let out = offset;
  let count = 0;
  while (at < lines.length && count < countMax && target.length - out > nameBytesMax) {
    const found = lines.indexOf(lineFeed, at);
    const end = found === -1 ? lines.length : found;
    const length = end - at > lineBytesMax ? 0 : copyName(lines, at, end, target, out);
    if (length > 0) {
      out += length;
      target[out++] = lineFeed;
      count++;
    }
    at = end + 1;
  }
  return {
    /** Bytes written to the target, and names among them. */
    length: out - offset,
    count,
    /** Number of bytes of the input that were processed. Less than all if the target is full. */
    read: Math.min(at, lines.length) - start,
  };
}

/** Writes one name and returns its length; 0 if it is invalid. */
function copyName(bytes: Uint8Array, start: number, end: number, target: Uint8Array, offset: number): number {
  let from = start;
  if (bytes[from] === star && bytes[from + 1] === dot) from += 2;
  const last = end > from && bytes[end - 1] === dot ? end - 1 : end;
  if (last - from > nameBytesMax) return copyOther(bytes, start, end, target, offset);
  let out = offset;
  let labelStart = from;
  let labels = 0;
  for (let at = from; at < last; at++) {
    const byte = hostCharacters[bytes[at] ?? 0] ?? 0;
    if (byte === 0) return copyOther(bytes, start, end, target, offset);
    if (byte === dot) {
      if (at === labelStart || at - labelStart > labelBytesMax) return 0;
      labelStart = at + 1;
      labels++;
    }
    target[out++] = byte;
  }
  if (labels === 0 || last === labelStart || last - labelStart > labelBytesMax) return 0;
  return isNumber(target, out - (last - labelStart), out) ? 0 : out - offset;
}

/** Returns whether the last label makes the name an IP address: `\d+` or `0x[0-9a-f]*`. */
function isNumber(bytes: Uint8Array, start: number, end: number): boolean {
  const isHexadecimal = bytes[start] === 0x30 && bytes[start + 1] === 0x78 && end - start >= 2;
  for (let at = isHexadecimal ? start + 2 : start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    const isDigit = byte >= 0x30 && byte <= 0x39;
    if (!isDigit && !(isHexadecimal && byte >= 0x61 && byte <= 0x66)) return false;
  }
  return true;
}

/** Normalizes names in Unicode form, and names between spaces. Rare, so it may create strings. */
function copyOther(
  bytes: Uint8Array,
  start: number,
  end: number,
  target: Uint8Array,
  offset: number,
): number {
  let isOther = false;
  for (let at = start; at < end && !isOther; at++)
    isOther = (bytes[at] ?? 0) < firstPrintable || (bytes[at] ?? 0) >= firstBeyondAscii;
  if (!isOther) return 0;
  const normalized = normalizeName(utf8.decode(bytes.subarray(start, end)));
  if ("error" in normalized) return 0;
  target.set(Buffer.from(normalized.name, "latin1"), offset);
  return normalized.name.length;
}

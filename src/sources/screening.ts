import { labelBytesMax, nameBytesMax } from "../detection/name.ts";
import type { Matcher } from "../detection/matcher.ts";

const upperA = 0x41;
const upperZ = 0x5a;
const lowerA = 0x61;
const lowerZ = 0x7a;
const dot = 0x2e;
const hyphen = 0x2d;
const underscore = 0x5f;

/**
 * Whether the bytes from `start` to before `end` are a valid name that surely imitates nothing. False means
 * that the name has to be looked at as text. Nearly all names of a list end here: some hundred nanoseconds,
 * and nothing to be cleaned up, where text takes microseconds.
 */
export function isHarmless(matcher: Matcher, bytes: Uint8Array, start: number, end: number): boolean {
  return isPlainName(bytes, start, end) && !matcher.mightMatch(bytes, start, end);
}

/** Whether it is a host name beyond doubt, in the simplest form there is. `normalizeName` knows of more. */
export function isPlainName(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > nameBytesMax) return false;
  let labelStart = start;
  for (let i = start; i < end; i++) {
    const byte = bytes[i]!;
    if (byte === dot) {
      const length = i - labelStart;
      if (length === 0 || length > labelBytesMax) return false;
      labelStart = i + 1;
    } else if (
      !(byte >= lowerA && byte <= lowerZ) &&
      !(byte >= 0x30 && byte <= 0x39) &&
      byte !== hyphen &&
      byte !== underscore &&
      !(byte >= upperA && byte <= upperZ)
    ) {
      return false;
    }
  }
  const length = end - labelStart;
  if (labelStart === start || length === 0 || length > labelBytesMax) return false;
  // A last label that starts with a digit may make it an IP address.
  return (bytes[labelStart]! | 0x20) >= lowerA && (bytes[labelStart]! | 0x20) <= lowerZ;
}

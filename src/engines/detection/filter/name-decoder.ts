/** Decodes a host name with A-labels to what a reader sees, without creating strings: one name in a hundred has one. */
import { createFoldCache } from "../names/fold.ts";
import { labelBytesMax } from "../names/name.ts";
import { decodeInto } from "../names/punycode.ts";
import { foldedByte } from "./character-classes.ts";

const hyphen = 0x2d;
const dot = 0x2e;
const aLabelPrefixBytes = 4;
const firstBeyondAscii = 0x80;

/** Returns whether the bytes at `start` are `xn--`, in either case. */
function isALabel(bytes: Uint8Array, start: number): boolean {
  return (
    bytes[start + 2] === hyphen &&
    bytes[start + 3] === hyphen &&
    (bytes[start]! | 0x20) === 0x78 &&
    (bytes[start + 1]! | 0x20) === 0x6e
  );
}

/** Returns whether a label of the name is an A-label. */
export function hasALabel(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at + aLabelPrefixBytes <= end; at++) {
    if (isALabel(bytes, at) && (at === start || bytes[at - 1] === dot)) return true;
  }
  return false;
}

export interface DecodedName {
  /** The folded name without its last label, one byte for each code unit; see `foldedByte`. */
  bytes: Uint8Array;
  length: number;
  /** Whether a letter has a second reading. */
  ambiguous: boolean;
}

/**
 * Returns a function that decodes and folds the name in `bytes` from `start` to before `end`, with the first or the
 * second reading of its letters. The next call overwrites the result. The name must be valid in length and characters.
 */
export function createNameDecoder(
  bytesMax: number,
): (bytes: Uint8Array, start: number, end: number, second: boolean) => DecodedName {
  const foldOf = createFoldCache();
  const points = new Int32Array(labelBytesMax + 1);
  const decoded: DecodedName = { bytes: new Uint8Array(bytesMax), length: 0, ambiguous: false };

  function put(byte: number): void {
    if (decoded.length < bytesMax) decoded.bytes[decoded.length++] = byte;
  }

  /** Returns false if the label cannot be decoded; then it stands for itself. */
  function putDecoded(bytes: Uint8Array, start: number, end: number, second: boolean): boolean {
    const count = decodeInto(points, bytes, start + aLabelPrefixBytes, end);
    let beyondAscii = false;
    for (let i = 0; i < count; i++) beyondAscii ||= points[i]! >= firstBeyondAscii;
    if (!beyondAscii) return false;
    for (let i = 0; i < count; i++) {
      const point = points[i]!;
      if (point < firstBeyondAscii) {
        put(point);
        continue;
      }
      const fold = foldOf(point, second);
      decoded.ambiguous ||= fold !== foldOf(point, !second);
      for (let unit = 0; unit < fold.length; unit++) put(foldedByte(fold.charCodeAt(unit)));
    }
    return true;
  }

  return (bytes, start, end, second) => {
    decoded.length = 0;
    decoded.ambiguous = false;
    for (let labelStart = start; ;) {
      let labelEnd = labelStart;
      while (labelEnd < end && bytes[labelEnd] !== dot) labelEnd++;
      if (labelEnd === end) return decoded;
      if (labelStart > start) put(dot);
      if (!isALabel(bytes, labelStart) || !putDecoded(bytes, labelStart, labelEnd, second)) {
        for (let at = labelStart; at < labelEnd; at++) put(bytes[at]!);
      }
      labelStart = labelEnd + 1;
    }
  };
}

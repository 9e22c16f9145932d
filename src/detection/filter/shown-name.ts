/** A host name with A-labels as its reader sees it, made without a text: one name in a hundred has some. */
import { foldedByte } from "./character-classes.ts";
import { createFoldMemory } from "../names/fold.ts";
import { labelBytesMax } from "../names/name.ts";
import { decodeInto } from "../names/punycode.ts";

const hyphen = 0x2d;
const dot = 0x2e;
const aLabelPrefixBytes = 4;
const firstBeyondAscii = 0x80;

/** Whether the bytes from `start` on are `xn--`, in either case. */
function isALabel(bytes: Uint8Array, start: number): boolean {
  return (
    bytes[start + 2] === hyphen &&
    bytes[start + 3] === hyphen &&
    (bytes[start]! | 0x20) === 0x78 &&
    (bytes[start + 1]! | 0x20) === 0x6e
  );
}

/** Whether some label of the name is an A-label. */
export function hasALabel(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at + aLabelPrefixBytes <= end; at++) {
    if (isALabel(bytes, at) && (at === start || bytes[at - 1] === dot)) return true;
  }
  return false;
}

export interface ShownName {
  /** The folded name without its last label, as the filter reads it: a byte for each code unit. */
  bytes: Uint8Array;
  length: number;
  /** Some letter can be read in another way too. */
  ambiguous: boolean;
}

/**
 * Answers what the name in `bytes` from `start` to before `end` looks like, in the first reading of its letters
 * or in the second; it changes with the next call. The name has to be valid in length and characters.
 */
export function createNameReader(
  bytesMax: number,
): (bytes: Uint8Array, start: number, end: number, second: boolean) => ShownName {
  const foldOf = createFoldMemory();
  const points = new Int32Array(labelBytesMax + 1);
  const shown: ShownName = { bytes: new Uint8Array(bytesMax), length: 0, ambiguous: false };

  function put(byte: number): void {
    if (shown.length < bytesMax) shown.bytes[shown.length++] = byte;
  }

  /** False: it is none that can be decoded, and stands for itself. */
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
      shown.ambiguous ||= fold !== foldOf(point, !second);
      for (let unit = 0; unit < fold.length; unit++) put(foldedByte(fold.charCodeAt(unit)));
    }
    return true;
  }

  return (bytes, start, end, second) => {
    shown.length = 0;
    shown.ambiguous = false;
    for (let labelStart = start; ;) {
      let labelEnd = labelStart;
      while (labelEnd < end && bytes[labelEnd] !== dot) labelEnd++;
      if (labelEnd === end) return shown;
      if (labelStart > start) put(dot);
      if (!isALabel(bytes, labelStart) || !putDecoded(bytes, labelStart, labelEnd, second)) {
        for (let at = labelStart; at < labelEnd; at++) put(bytes[at]!);
      }
      labelStart = labelEnd + 1;
    }
  };
}

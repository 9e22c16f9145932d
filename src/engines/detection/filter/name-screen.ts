/** Screens lists of host names: decides which of them need `Matcher.match`. */
import { labelBytesMax, nameBytesMax } from "../names/name.ts";
import { classOfByte, digitFlag, dotFlag, foreignFlag, foldedByte } from "./character-classes.ts";
import { endOf, startOf, textLengthMax, type NameRanges } from "./encoded-text.ts";
import type { WordSearch } from "./word-search.ts";
import { createFoldCache } from "../names/fold.ts";
import { decodeInto } from "../names/punycode.ts";

/**
 * Returns an array with 1 for each name from index `from` to before `to` that needs `Matcher.match`, and 0 for the others. The
 * next call overwrites it.
 */
export type NameScreen = (names: NameRanges, from: number, to: number) => Uint8Array;

const dot = 0x2e;

export function createNameScreen({ text, search, searchOne }: WordSearch): NameScreen {
  const decodeName = createNameDecoder(textLengthMax);
  let passed = new Uint8Array(1);
  /** Place of each name's last dot. */
  let tops = new Int32Array(1);
  /** Indices of names with A-labels. */
  const aLabelNames: number[] = [];

  /** Passes the names of the last search that are not known to be valid ASCII host names, and collects those with A-labels. */
  function checkLabels({ bytes, starts, ends }: NameRanges, first: number): void {
    const { flags, nameCount, segmentBounds, split } = text;
    for (let i = 0; i < nameCount; i++) {
      const name = first + i;
      if (!areLabelsValid(flags[i] ?? 0, bytes, starts[name] ?? 0, tops[name] ?? 0)) passed[name] = 1;
    }
    for (let i = 0; i < split.count; i++) {
      const segment = split.names[i] ?? 0;
      const name = first + segment;
      const separatorCount =
        lengthOf(segmentBounds[segment] ?? 0) - lengthOf(segmentBounds[nameCount + i] ?? 0);
      if (separatorCount < 2 || !hasALabel(bytes, starts[name] ?? 0, ends[name] ?? 0)) continue;
      if (areLabelsValid(flags[segment] ?? 0, bytes, starts[name] ?? 0, tops[name] ?? 0))
        aLabelNames.push(name);
    }
  }

  /** Returns whether a name with A-labels contains a word once it is decoded, in either reading of its letters. */
  function hasWordsDecoded(bytes: Uint8Array, start: number, end: number): boolean {
    const first = decodeName(bytes, start, end, false);
    const { ambiguous } = first;
    if (searchOne(first.bytes, first.length).count > 0) return true;
    if (!ambiguous) return false;
    const second = decodeName(bytes, start, end, true);
    return searchOne(second.bytes, second.length).count > 0;
  }

  return (names, from, to) => {
    const { bytes, starts, ends } = names;
    if (passed.length < to) {
      passed = new Uint8Array(2 * to);
      tops = new Int32Array(2 * to);
    }
    for (let name = from; name < to; name++) {
      const start = starts[name] ?? 0;
      const top = lastDot(bytes, start, ends[name] ?? 0);
      passed[name] = top >>> 31;
      tops[name] = Math.max(start, top);
    }
    const withoutTops = { bytes, starts, ends: tops };
    for (let first = from; first < to; first += text.nameCount) {
      const found = search(withoutTops, first, to);
      for (let i = 0; i < found.count; i++) passed[first + (found.names[i] ?? 0)] = 1;
      checkLabels(names, first);
    }
    for (const name of aLabelNames)
      passed[name] = Number(hasWordsDecoded(bytes, starts[name] ?? 0, ends[name] ?? 0));
    aLabelNames.length = 0;
    return passed;
  };
}

/** Returns the place of the last dot, or -1 if the text around it cannot be part of a valid ASCII host name. */
function lastDot(bytes: Uint8Array, start: number, end: number): number {
  let top = end;
  let flags = 0;
  while (top > start && bytes[top - 1] !== dot) flags |= classOfByte[bytes[--top] ?? 0] ?? 0;
  if (end - start > nameBytesMax || !isLabelLength(end - top)) return -1;
  // A name without a dot is empty here. A last label that starts with a digit may be the end of an IP address.
  if (top - start < 2 || ((classOfByte[bytes[top] ?? 0] ?? 0) & digitFlag) !== 0) return -1;
  return (flags & foreignFlag) === 0 ? top - 1 : -1;
}

/** Returns whether the labels before the last one, from `start` to before `end`, are valid. */
function areLabelsValid(flags: number, bytes: Uint8Array, start: number, end: number): boolean {
  if ((flags & (foreignFlag | dotFlag)) === 0) return end - start <= labelBytesMax;
  if ((flags & foreignFlag) !== 0) return false;
  let labelStart = start;
  for (let i = start; i <= end; i++) {
    if (bytes[i] !== dot) continue;
    if (!isLabelLength(i - labelStart)) return false;
    labelStart = i + 1;
  }
  return true;
}

function isLabelLength(length: number): boolean {
  return length > 0 && length <= labelBytesMax;
}

function lengthOf(bounds: number): number {
  return endOf(bounds) - startOf(bounds);
}

/** Decodes a host name with A-labels to what a reader sees, without creating strings: one name in a hundred has one. */

const hyphen = 0x2d;
const aLabelPrefixBytes = 4;
const firstBeyondAscii = 0x80;

/** Returns whether the bytes at `start` are `xn--`, in either case. */
function isALabel(bytes: Uint8Array, start: number): boolean {
  return (
    bytes[start + 2] === hyphen &&
    bytes[start + 3] === hyphen &&
    ((bytes[start] ?? 0) | 0x20) === 0x78 &&
    ((bytes[start + 1] ?? 0) | 0x20) === 0x6e
  );
}

/** Returns whether a label of the name is an A-label. */
function hasALabel(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at + aLabelPrefixBytes <= end; at++) {
    if (isALabel(bytes, at) && (at === start || bytes[at - 1] === dot)) return true;
  }
  return false;
}

/**
 * Returns a function that decodes and folds the name in `bytes` from `start` to before `end`, with the first or the
 * second reading of its letters. The next call overwrites the result. The name must be valid in length and characters.
 */
function createNameDecoder(bytesMax: number) {
  const foldOf = createFoldCache();
  const points = new Int32Array(labelBytesMax + 1);
  /** The folded name without its last label, one byte for each code unit (see `foldedByte`), and whether a letter has a second reading. */
  const decoded = { bytes: new Uint8Array(bytesMax), length: 0, ambiguous: false };

  function put(byte: number): void {
    if (decoded.length < bytesMax) decoded.bytes[decoded.length++] = byte;
  }

  /** Returns false if the label cannot be decoded; then it stands for itself. */
  function putDecoded(bytes: Uint8Array, start: number, end: number, second: boolean): boolean {
    const count = decodeInto(points, bytes, start + aLabelPrefixBytes, end);
    let beyondAscii = false;
    for (let i = 0; i < count; i++) beyondAscii ||= (points[i] ?? 0) >= firstBeyondAscii;
    if (!beyondAscii) return false;
    for (let i = 0; i < count; i++) {
      const point = points[i] ?? 0;
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

  return (bytes: Uint8Array, start: number, end: number, second: boolean) => {
    decoded.length = 0;
    decoded.ambiguous = false;
    for (let labelStart = start; ;) {
      let labelEnd = labelStart;
      while (labelEnd < end && bytes[labelEnd] !== dot) labelEnd++;
      if (labelEnd === end) return decoded;
      if (labelStart > start) put(dot);
      if (!isALabel(bytes, labelStart) || !putDecoded(bytes, labelStart, labelEnd, second)) {
        for (let at = labelStart; at < labelEnd; at++) put(bytes[at] ?? 0);
      }
      labelStart = labelEnd + 1;
    }
  };
}

import { retainedBytesMax } from "./leaves.ts";
import { domainToASCII } from "node:url";
import { hostCharacters } from "../../../platform/lib/host-names.ts";
import { latin1Text, utf8Text } from "./der.ts";

/**
 * Host names as one text: ASCII, lowercase, in A-labels, without `*.` and without a last dot; each followed by a line
 * feed. Ordinary names are validated and copied in one pass without allocating.
 */
export type NameBuffer = ReturnType<typeof createNameBuffer>;

/** Maximum number of names of one entry. Authorities issue certificates with up to 2,000 names. */
const namesPerEntryMax = 10_000;
/** Maximum number of values of one entry that are not ordinary names, each of which takes microseconds. */
const oddValuesPerEntryMax = 1_000;
/** A name is left out if one of as many names before it, in the same entry, is the same: `*.a.example`, `a.example`. */
const repetitionsWindow = 8;

const dot = 0x2e;
const asterisk = 0x2a;
const space = 0x20;
const lineFeed = 0x0a;
const firstLetter = 0x61;

export function createNameBuffer() {
  let entry = 0;
  let firstOfEntry = 0;
  let oddValues = 0;
  const names = {
    bytes: new Uint8Array(1 << 16),
    /** Bytes in use. */
    length: 0,
    count: 0,
    /** Name `i` is `bytes[starts[i]..ends[i])`. */
    starts: new Int32Array(1 << 12),
    ends: new Int32Array(1 << 12),
    /** Number of the entry that contains name `i`. */
    entries: new Int32Array(1 << 12),
    /** Alternative names in which no host name was found, and those beyond the limits of an entry. */
    invalid: 0,
    /** Removes all names. */
    clear(): void {
      if (names.bytes.length > retainedBytesMax) names.bytes = new Uint8Array(1 << 16);
      names.length = 0;
      names.count = 0;
      names.invalid = 0;
      firstOfEntry = 0;
    },
    /** The names that follow belong to this entry. */
    startEntry(number: number): void {
      entry = number;
      firstOfEntry = names.count;
      oddValues = 0;
    },
    /** Adds the names in a dNSName: `bytes` from `start` to before `end`. */
    addAlternativeName(bytes: Uint8Array, start: number, end: number): void {
      if (!copyPlain(bytes, start, end) && !addOdd(bytes, start, end)) names.invalid++;
    },
    /** Adds the names in a common name, which is often not a host name. */
    addCommonName(bytes: Uint8Array, start: number, end: number): void {
      if (!copyPlain(bytes, start, end) && !hasSpaceWithin(bytes, start, end)) addOdd(bytes, start, end);
    },
  };

  /** Copies a name of ordinary form. Returns false for every other value. */
  function copyPlain(source: Uint8Array, start: number, end: number): boolean {
    const from = source[start] === asterisk && source[start + 1] === dot ? start + 2 : start;
    const length = end - from;
    if (length < 3 || length > nameBytesMax) return false;
    reserve(names, length);
    const { bytes } = names;
    let out = names.length;
    let label = out;
    let letter = 0;
    for (let at = from; at < end; at++) {
      letter = hostCharacters[source[at] ?? 0] ?? 0;
      if (letter === 0) return false;
      if (letter === dot) {
        if (out === label || out - label > labelBytesMax) return false;
        label = out + 1;
      }
      bytes[out++] = letter;
    }
    // A last label that starts with a digit may be part of an address.
    if (out === label || out - label > labelBytesMax || label === names.length) return false;
    if ((bytes[label] ?? 0) < firstLetter) return false;
    keep(out);
    return true;
  }

  /** Returns whether the value contains a host name. */
  function addOdd(source: Uint8Array, start: number, end: number): boolean {
    if (++oddValues > oddValuesPerEntryMax) return false;
    const found = namesInOddValue(source.subarray(start, end));
    for (const name of found) {
      reserve(names, name.length);
      for (let i = 0; i < name.length; i++) names.bytes[names.length + i] = name.charCodeAt(i);
      keep(names.length + name.length);
    }
    return found.length > 0;
  }

  /** Keeps the bytes up to `end` as a name, unless the entry has it already. */
  function keep(end: number): void {
    const { length: start, bytes, count } = names;
    const window = Math.max(firstOfEntry, count - repetitionsWindow);
    if (isRepetition(names, window, end)) return;
    if (count - firstOfEntry >= namesPerEntryMax) {
      names.invalid++;
      return;
    }
    if (count === names.starts.length) growIndex(names);
    bytes[end] = lineFeed;
    names.starts[count] = start;
    names.ends[count] = end;
    names.entries[count] = entry;
    names.count = count + 1;
    names.length = end + 1;
  }

  return names;
}

/** Returns whether one of the names from `first` equals the bytes behind the last name, up to `end`. */
function isRepetition({ bytes, length: start, count, starts, ends }: NameBuffer, first: number, end: number) {
  for (let i = count - 1; i >= first; i--) {
    const other = starts[i] ?? 0;
    if ((ends[i] ?? 0) - other !== end - start) continue;
    let same = 0;
    while (same < end - start && bytes[other + same] === bytes[start + same]) same++;
    if (same === end - start) return true;
  }
  return false;
}

/** Makes room for a name and its line feed. */
function reserve(names: NameBuffer, length: number): void {
  if (names.length + length < names.bytes.length) return;
  const larger = new Uint8Array(2 * (names.bytes.length + length));
  larger.set(names.bytes.subarray(0, names.length));
  names.bytes = larger;
}

function growIndex(names: NameBuffer): void {
  for (const key of ["starts", "ends", "entries"] as const) {
    const larger = new Int32Array(2 * names.count);
    larger.set(names[key]);
    names[key] = larger;
  }
}

/** Returns whether there is a space between other characters: such a common name belongs to a person or company. */
function hasSpaceWithin(bytes: Uint8Array, start: number, end: number): boolean {
  let [first, last] = [start, end];
  while (first < last && (bytes[first] ?? 0) <= space) first++;
  while (last > first && (bytes[last - 1] ?? 0) <= space) last--;
  return bytes.subarray(first, last).includes(space);
}

/**
 * Reads host names in the odd forms that public logs contain: URLs, text after a NUL, labels that no host name may
 * contain, raw Unicode in two encodings. The forms are those that SSLMate's certspotter learned to expect
 * (`identifiers.go`).
 */

/** Limits of RFC 1035, section 2.3.4. */
const labelBytesMax = 63;
const nameBytesMax = 253;

/** Longer values are no names: a host name in UTF-8 has at most four bytes for each of its 253 characters. */
const valueBytesMax = 4_096;

const dots = /[.\u3002\uff0e\uff61]/u;
const asciiLabel = /^[a-z0-9_-]{1,63}$/;
const numeric = /^(\d+|0x[0-9a-f]*)$/;
const nonAscii = /[^\0-\x7f]/;
const asciiOutsideOfLabels = /[^a-z0-9_\u0080-\u{10ffff}-]/u;

/**
 * Returns the host names that a value may stand for, in A-labels and lowercase: usually none or one. A name that has
 * labels which no host name may contain is returned without these labels and those before them, because its owner
 * controls the rest.
 */
export function namesInOddValue(value: Uint8Array): string[] {
  if (value.length > valueBytesMax) return [];
  const names = new Set<string>();
  for (const text of readings(value)) {
    const bare = text.trim().replace(/^https?:\/\//i, "");
    for (const form of [bare, bare.split(/[/\0]/, 1)[0]!]) {
      const host = form.slice(form.lastIndexOf("@") + 1).replace(/:\d{1,5}$/, "");
      const name = longestName(host);
      if (name !== undefined) names.add(name);
    }
  }
  return [...names];
}

/** Returns the bytes as text: bytes over 127 are read both as UTF-8 and as Latin-1. */
function readings(value: Uint8Array): string[] {
  const latin1 = latin1Text(value);
  if (!nonAscii.test(latin1)) return [latin1];
  const utf8 = utf8Text(value);
  return utf8 === undefined ? [latin1] : [utf8, latin1];
}

/** Returns the longest valid host name with at least two labels at the end of the text. */
function longestName(text: string): string | undefined {
  const labels = text
    .toLowerCase()
    .split(dots)
    .filter((label) => label !== "");
  if (numeric.test(labels.at(-1) ?? "")) return undefined;
  const kept: string[] = [];
  let bytes = -1;
  for (const label of labels.reverse()) {
    const ascii = toALabel(label);
    bytes += 1 + (ascii?.length ?? 0);
    if (ascii === undefined || bytes > nameBytesMax) break;
    kept.push(ascii);
  }
  return kept.length < 2 ? undefined : kept.reverse().join(".");
}

/** Returns the label as an A-label; undefined if host names cannot contain it. */
function toALabel(label: string): string | undefined {
  // `domainToASCII` reads the host of a URL: it stops at some characters and decodes others.
  const ascii = nonAscii.test(label) && !asciiOutsideOfLabels.test(label) ? domainToASCII(label) : label;
  return asciiLabel.test(ascii) ? ascii : undefined;
}

/** Reads the elements of DER (X.690) in place, as far as certificates need it. */

/** A cursor over the elements of `bytes`. One is reused for all elements, because allocations would dominate the time. */
export interface DerElement {
  bytes: Uint8Array;
  /** Identifier octet of the last element that was read. */
  tag: number;
  /** Range of its content; `end` is where the next element starts. */
  start: number;
  end: number;
}

export const derTags = {
  boolean: 0x01,
  integer: 0x02,
  octetString: 0x04,
  objectIdentifier: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** 4 bytes of length: more than any response that is read. */
const lengthBytesMax = 4;
const manyTagBytes = 0x1f;

export function createDerElement(bytes: Uint8Array): DerElement {
  return { bytes, tag: 0, start: 0, end: 0 };
}

/**
 * Reads the header of the element at `at`. Returns false if there is none that ends at or before `limit`: then the cursor
 * is undefined. Lengths in more bytes than needed are accepted, indefinite lengths and tags of several bytes are not.
 */
export function readElement(element: DerElement, at: number, limit: number): boolean {
  const { bytes } = element;
  if (at + 2 > limit) return false;
  const tag = bytes[at] ?? 0;
  if ((tag & manyTagBytes) === manyTagBytes) return false;
  let length = bytes[at + 1] ?? 0;
  let start = at + 2;
  if (length >= 0x80) {
    const lengthBytes = length - 0x80;
    if (lengthBytes === 0 || lengthBytes > lengthBytesMax || start + lengthBytes > limit) return false;
    length = 0;
    for (let i = 0; i < lengthBytes; i++) length = length * 256 + (bytes[start + i] ?? 0);
    start += lengthBytes;
  }
  if (start + length > limit) return false;
  element.tag = tag;
  element.start = start;
  element.end = start + length;
  return true;
}

/** Reads the element at `at`, which must have this tag. */
export function readTagged(element: DerElement, tag: number, at: number, limit: number): boolean {
  return readElement(element, at, limit) && element.tag === tag;
}

/** Returns whether the content of the last element equals `expected`. */
export function contentIs({ bytes, start, end }: DerElement, expected: readonly number[]): boolean {
  if (end - start !== expected.length) return false;
  for (let i = 0; i < expected.length; i++) if (bytes[start + i] !== expected[i]) return false;
  return true;
}

/** Types of ASN.1 strings with more than one byte for each character (X.680). */
const universalString = 0x1c;
const bmpString = 0x1e;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Returns the UTF-8 form of a string whose characters have two or four bytes; undefined for all other types: their bytes
 * can be used as they are.
 */
export function stringBytes({ tag, bytes, start, end }: DerElement): Uint8Array | undefined {
  if (tag === bmpString) return new TextEncoder().encode(wideText(bytes.subarray(start, end), 2));
  if (tag === universalString) return new TextEncoder().encode(wideText(bytes.subarray(start, end), 4));
  return undefined;
}

/** Returns the text of a string. Bytes that are not UTF-8 are read as Latin-1. */
export function stringText({ tag, bytes, start, end }: DerElement): string {
  const content = bytes.subarray(start, end);
  if (tag === bmpString) return wideText(content, 2);
  if (tag === universalString) return wideText(content, 4);
  return utf8Text(content) ?? latin1Text(content);
}

/** Returns undefined if the bytes are not UTF-8. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

export function latin1Text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}

function wideText(bytes: Uint8Array, width: 2 | 4): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let text = "";
  for (let at = 0; at + width <= bytes.length; at += width) {
    if (width === 2) text += String.fromCharCode(view.getUint16(at));
    else {
      const point = view.getUint32(at);
      text += point > 0x10ffff ? "\ufffd" : String.fromCodePoint(point);
    }
  }
  return text;
}

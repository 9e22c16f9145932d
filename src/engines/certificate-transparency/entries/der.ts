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
  const tag = bytes[at]!;
  if ((tag & manyTagBytes) === manyTagBytes) return false;
  let length = bytes[at + 1]!;
  let start = at + 2;
  if (length >= 0x80) {
    const lengthBytes = length - 0x80;
    if (lengthBytes === 0 || lengthBytes > lengthBytesMax || start + lengthBytes > limit) return false;
    length = 0;
    for (let i = 0; i < lengthBytes; i++) length = length * 256 + bytes[start + i]!;
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

import type { DerElement } from "./der.ts";

/** Types of ASN.1 strings with more than one byte for each character (X.680). */
const universalString = 0x1c;
const bmpString = 0x1e;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/**
 * Returns the UTF-8 form of a string whose characters have two or four bytes; undefined for all other types, whose bytes
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

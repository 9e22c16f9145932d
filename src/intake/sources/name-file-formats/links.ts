import { rewritesLinks } from "../../../engines/detection/names/wrapped-link.ts";
import type { NameChunkBuilder } from "./name-chunk.ts";

const slash = 0x2f;
const colon = 0x3a;
const question = 0x3f;
const hash = 0x23;
const dot = 0x2e;
const lessThan = 0x3c;
const space = 0x20;
const comma = 0x2c;
const semicolon = 0x3b;
const percent = 0x25;
const underscore = 0x5f;
const letterH = 0x68;
const portDigitsMax = 5;
/** Lengths of `ftp`, `http` and `https`, and of their defanged forms `hxxp` and `hxxps`. */
const [schemeLengthMin, schemeLengthMax] = [3, 5];

/** 1 for the ASCII characters that a host name consists of. */
const inHostName = new Uint8Array(256);
for (const character of "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")
  inHostName[character.charCodeAt(0)] = 1;

/**
 * Adds the name in `bytes[start..end)`, which has no white space around it. Of a plain link, only the host becomes the
 * name, so that the prefilter and the archive see a name like any other, and the link is kept beside it. Everything else
 * stays as it is: `readPastedName` reads the odd forms of links, at a hundred times the cost.
 *
 * @param line and `unfinished`: as for `NameChunkBuilder.name`.
 */
export function addNameOrLink(
  chunk: NameChunkBuilder,
  bytes: Uint8Array,
  start: number,
  end: number,
  line: number,
  unfinished = false,
): void {
  const hostStart = endOfScheme(bytes, start, end);
  const hostEnd = hostStart < 0 ? -1 : endOfHost(bytes, hostStart, end);
  if (hostEnd < 0) chunk.name(start, end, line, unfinished);
  else chunk.link(hostStart, hostEnd, start, end, line, unfinished);
}

/** Returns the index after `https://` or the like; -1 if the text does not start with it. */
export function endOfScheme(bytes: Uint8Array, start: number, end: number): number {
  for (let length = schemeLengthMin; length <= schemeLengthMax; length++) {
    const at = start + length;
    if (bytes[at] !== colon) continue;
    if (at + 2 >= end || bytes[at + 1] !== slash || bytes[at + 2] !== slash) return -1;
    for (let i = start; i < at; i++) if (!isLetter(bytes[i] ?? 0)) return -1;
    return at + 3;
  }
  return -1;
}

/** Returns the end of the host of a link in which nothing needs to be decoded; otherwise -1. */
function endOfHost(bytes: Uint8Array, start: number, end: number): number {
  let hostEnd = start;
  while (hostEnd < end && inHostName[bytes[hostEnd] ?? 0] === 1) hostEnd++;
  if (hostEnd === start || bytes[start] === dot || bytes[hostEnd - 1] === dot) return -1;
  let i = hostEnd;
  if (bytes[i] === colon && i < end) {
    const port = ++i;
    while (i < end && (bytes[i] ?? 0) >= 0x30 && (bytes[i] ?? 0) <= 0x39) i++;
    if (i - port > portDigitsMax) return -1;
  }
  if (i < end && bytes[i] !== slash && bytes[i] !== question && bytes[i] !== hash) return -1;
  let mayContainAddress = false;
  for (; i < end; i++) {
    const byte = bytes[i] ?? 0;
    // White space, or the address of a sender: "Support <https://example.com>".
    if (byte <= space || byte === lessThan || byte >= 0x7f) return -1;
    // Another link may follow.
    if ((byte === comma || byte === semicolon) && ((bytes[i + 1] ?? 0) | 0x20) === letterH) return -1;
    if (byte === question || byte === percent || byte === underscore) mayContainAddress = true;
  }
  return mayContainAddress && rewritesLinks(bytes, start, hostEnd) ? -1 : hostEnd;
}

/** Returns whether `bytes[start..end)` consists of characters of host names, with a dot between two of them. */
export function looksLikeName(bytes: Uint8Array, start: number, end: number): boolean {
  let hasDot = false;
  for (let i = start; i < end; i++) {
    const byte = bytes[i] ?? 0;
    // Names in other scripts.
    if (inHostName[byte] === 0 && byte < 0x80) return false;
    if (byte === dot && i > start && i < end - 1) hasDot = true;
  }
  return hasDot;
}

/** Returns whether the text is written like an IPv4 or IPv6 address. */
export function looksLikeAddress(bytes: Uint8Array, start: number, end: number): boolean {
  let hasOthers = false;
  for (let i = start; i < end; i++) {
    const byte = bytes[i] ?? 0;
    if (byte === colon) return true;
    if (byte !== dot && (byte < 0x30 || byte > 0x39)) hasOthers = true;
  }
  return !hasOthers && end > start;
}

function isLetter(byte: number): boolean {
  return (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
}

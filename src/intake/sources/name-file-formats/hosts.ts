import { looksLikeAddress, looksLikeName, addNameOrLink, endOfScheme } from "./links.ts";
import { isBlank, tooLong, type LineParser } from "./plain-lines.ts";

const hash = 0x23;
/** Name of the machine itself in many hosts files. */
const ownName = new TextEncoder().encode("localhost.localdomain");

/**
 * Parses a hosts file (hosts(5)): an address and the names that it stands for. Takes every name, regardless of its address.
 * Single labels, such as `localhost`, and addresses instead of names are ignored.
 */
export const parseHostsLines: LineParser = (block, chunk) => {
  const { bytes, starts, ends, count } = block;
  chunk.start(block, bytes);
  for (let i = 0; i < count; i++) {
    let at = starts[i] ?? 0;
    let end = ends[i] ?? 0;
    if (end < 0) {
      chunk.error(tooLong, i);
      continue;
    }
    for (let j = at; j < end; j++) if (bytes[j] === hash) end = j;
    while (at < end && isBlank(bytes[at] ?? 0)) at++;
    if (at === end) continue;
    const addressEnd = endOfField(bytes, at, end);
    if (!looksLikeAddress(bytes, at, addressEnd)) {
      chunk.error("does not start with an address, as lines of a hosts file do", i);
      continue;
    }
    // A name is added when the next one is found, which decides whether the line contains more.
    let [nameStart, nameEnd] = [-1, -1];
    for (at = addressEnd; at < end;) {
      while (at < end && isBlank(bytes[at] ?? 0)) at++;
      const fieldEnd = endOfField(bytes, at, end);
      if (isName(bytes, at, fieldEnd)) {
        if (nameStart >= 0) chunk.name(nameStart, nameEnd, i, true);
        [nameStart, nameEnd] = [at, fieldEnd];
      }
      at = fieldEnd;
    }
    if (nameStart >= 0) chunk.name(nameStart, nameEnd, i);
  }
  return undefined;
};

/** Any other text with a dot counts as a name, so that it is reported as an invalid one. */
function isName(bytes: Uint8Array, start: number, end: number): boolean {
  const isOwn = end - start === ownName.length && ownName.every((byte, i) => bytes[start + i] === byte);
  if (isOwn || looksLikeAddress(bytes, start, end)) return false;
  return looksLikeName(bytes, start, end) || bytes.subarray(start, end).includes(0x2e);
}

function endOfField(bytes: Uint8Array, start: number, end: number): number {
  let i = start;
  while (i < end && !isBlank(bytes[i] ?? 0)) i++;
  return i;
}

const exclamation = 0x21;
const dollar = 0x24;
const asterisk = 0x2a;
const dot = 0x2e;
const slash = 0x2f;
const colon = 0x3a;
const at = 0x40;
const bracket = 0x5b;
const caret = 0x5e;
const bar = 0x7c;
const cosmeticRule = /#@?[?$%]?@?#|\$@?\$/;
const disabledRule = /[$,]badfilter(?:,|$)/;

/**
 * Parses a filter list in the syntax of Adblock Plus, uBlock Origin and AdGuard. Takes the host of each rule that blocks
 * one (`||example.com^`), of links, and plain names. Rules that name no host (exceptions, cosmetic rules, patterns,
 * regular expressions, addresses) are ignored.
 */
export const parseAdblockLines: LineParser = (block, chunk) => {
  const { bytes, starts, ends, count } = block;
  chunk.start(block, bytes);
  for (let i = 0; i < count; i++) {
    let start = starts[i] ?? 0;
    let end = ends[i] ?? 0;
    if (end < 0) {
      chunk.error(tooLong, i);
      continue;
    }
    while (start < end && isBlank(bytes[start] ?? 0)) start++;
    while (end > start && isBlank(bytes[end - 1] ?? 0)) end--;
    if (start === end || isIgnored(bytes, start, end)) continue;
    while (start < end && bytes[start] === bar) start++;
    if (endOfScheme(bytes, start, end) >= 0) {
      addNameOrLink(chunk, bytes, start, endOfPattern(bytes, start, end), i);
      continue;
    }
    if (bytes[start] === asterisk && bytes[start + 1] === dot) start += 2;
    const hostEnd = endOfHost(bytes, start, end);
    const isHost = looksLikeName(bytes, start, hostEnd) && bytes[hostEnd - 1] !== dot;
    if (bytes[hostEnd] === asterisk || !isHost || looksLikeAddress(bytes, start, hostEnd)) continue;
    chunk.name(start, hostEnd, i);
  }
  return undefined;
};

/** Recognizes comments, headers and rules that block no host. */
function isIgnored(bytes: Uint8Array, start: number, end: number): boolean {
  const first = bytes[start] ?? 0;
  if (first === exclamation || first === hash || first === bracket) return true;
  // Exceptions, and regular expressions.
  if ((first === at && bytes[start + 1] === at) || first === slash) return true;
  // Most rules contain neither of these, and need no text.
  if (!contains(bytes, start, end, hash) && !contains(bytes, start, end, dollar)) return false;
  const rule = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString("latin1");
  return cosmeticRule.test(rule) || disabledRule.test(rule);
}

/** Returns the end of the pattern of a link: the separator, the anchor or the options after it. */
function endOfPattern(bytes: Uint8Array, start: number, end: number): number {
  for (let i = start; i < end; i++)
    if (bytes[i] === caret || bytes[i] === bar || bytes[i] === dollar || bytes[i] === asterisk) return i;
  return end;
}

function endOfHost(bytes: Uint8Array, start: number, end: number): number {
  for (let i = start; i < end; i++) {
    const byte = bytes[i] ?? 0;
    if (byte === caret || byte === slash || byte === colon || byte === dollar || byte === bar) return i;
    if (byte === asterisk) return i;
  }
  return end;
}

function contains(bytes: Uint8Array, start: number, end: number, byte: number): boolean {
  for (let i = start; i < end; i++) if (bytes[i] === byte) return true;
  return false;
}

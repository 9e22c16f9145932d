/** Responses to get-entries (RFC 6962, section 4.6). */
import { hashBytes } from "../trees/hashes.ts";
import {
  blockEntriesMax,
  issuerKeyHashBytes,
  malformedBlock,
  precertificateEntry,
  scratchOf,
  timestampBytes,
  unsigned16,
  unsigned24,
  unsigned64,
  x509Entry,
  type Leaves,
  type Scratch,
} from "./leaves.ts";
import { parseJson } from "../../../platform/lib/json.ts";
import { utf8Text } from "./der.ts";

/** Version, type of leaf, timestamp, type of entry. */
const leafHeadBytes = 2 + timestampBytes + 2;
const leafOfUnknownForm = 0xffff;
const quote = 0x22;
const backslash = 0x5c;

/**
 * Reads the entries of a response with their hashes into `leaves`. Throws `LogError` if the response is malformed. A leaf
 * of an unknown form has a hash and no certificate.
 *
 * Three quarters of a response are `extra_data`, which is not needed. The form in which logs write responses is read
 * without parsing them as a whole, which is three times as fast; any other form goes to the JSON parser.
 */
export function readGetEntries(response: Uint8Array, leaves: Leaves, scratch: Scratch): void {
  leaves.clear(1_024);
  leaves.bytes = scratchOf(scratch, response.length);
  const decoder = createLeafDecoder(leaves);
  if (readPlainForm(response, decoder)) return;
  leaves.clear(1_024);
  decoder.restart();
  for (const leafInput of parsedLeafInputs(response)) decoder.add(leafInput);
}

type LeafDecoder = ReturnType<typeof createLeafDecoder>;

function createLeafDecoder(leaves: Leaves) {
  const hash = new Uint8Array(hashBytes);
  let used = 0;
  return {
    restart() {
      used = 0;
    },

    /** Decodes a `leaf_input` and adds the leaf. */
    add(base64: string) {
      const index = leaves.count;
      if (index === blockEntriesMax)
        throw malformedBlock(`the response has more than ${blockEntriesMax} entries`);
      if (index === leaves.starts.length) grow(leaves);
      const { bytes } = leaves;
      // The prefix of leaves in the tree hash.
      bytes[used] = 0;
      const start = used + 1;
      const end = start + decodedInto(bytes.subarray(start), base64, index);
      Bun.SHA256.hash(bytes.subarray(used, end), hash);
      leaves.hashes.set(hash, index * hashBytes);
      if (!addKnownLeaf(leaves, start, end)) leaves.add(0, leafOfUnknownForm, start, start);
      used = end;
    },
  };
}

function decodedInto(target: Uint8Array, base64: string, index: number): number {
  try {
    const { read, written } = target.setFromBase64(base64);
    if (read === base64.length && written > 0) return written;
  } catch {
    // Reported below.
  }
  throw malformedBlock(`the leaf_input of entry ${index} is not base64`);
}

/**
 * Adds the leaf: `leaves.bytes` from `start` to before `end`. Returns false if it is not a certificate or a precertificate of
 * version 1.
 */
function addKnownLeaf(leaves: Leaves, start: number, end: number): boolean {
  const { bytes } = leaves;
  if (end - start < leafHeadBytes || bytes[start] !== 0 || bytes[start + 1] !== 0) return false;
  const type = unsigned16(bytes, start + leafHeadBytes - 2);
  if (type !== x509Entry && type !== precertificateEntry) return false;
  const position = start + leafHeadBytes + (type === precertificateEntry ? issuerKeyHashBytes : 0);
  if (position + 3 > end) return false;
  const certificateEnd = position + 3 + unsigned24(bytes, position);
  if (certificateEnd + 2 > end) return false;
  if (certificateEnd + 2 + unsigned16(bytes, certificateEnd) !== end) return false;
  leaves.add(unsigned64(bytes, start + 2), type, position + 3, certificateEnd);
  return true;
}

/** Doubles the arrays. The entries before are kept. */
function grow(leaves: Leaves): void {
  const { count, timestamps, starts, ends, types, hashes } = leaves;
  leaves.clear(2 * count);
  leaves.timestamps.set(timestamps);
  leaves.starts.set(starts);
  leaves.ends.set(ends);
  leaves.types.set(types);
  leaves.hashes.set(hashes);
  leaves.count = count;
}

/**
 * Reads `{"entries":[{"leaf_input":"…","extra_data":"…"},…]}` with any white space and either order of the two. Returns
 * false at anything else, such as further members or escapes in a string.
 */
function readPlainForm(response: Uint8Array, decoder: LeafDecoder): boolean {
  const cursor = createJsonCursor(response);
  const { token } = cursor;
  if (!token("{") || !cursor.string() || !cursor.is("entries") || !token(":") || !token("[")) return false;
  if (!token("]")) {
    do {
      const leaf = readPlainEntry(cursor);
      if (leaf === undefined) return false;
      decoder.add(leaf);
    } while (token(","));
    if (!token("]")) return false;
  }
  return token("}") && cursor.isAtEnd();
}

/** Returns the `leaf_input` of an entry; undefined if it has another form. */
function readPlainEntry(cursor: JsonCursor): string | undefined {
  let leaf: string | undefined;
  if (!cursor.token("{")) return undefined;
  do {
    if (!cursor.string()) return undefined;
    const isLeaf = cursor.is("leaf_input");
    if (isLeaf ? leaf !== undefined : !cursor.is("extra_data")) return undefined;
    if (!cursor.token(":") || !cursor.string()) return undefined;
    if (isLeaf) leaf = cursor.text();
  } while (cursor.token(","));
  return cursor.token("}") && !leaf?.includes("\\") ? leaf : undefined;
}

type JsonCursor = ReturnType<typeof createJsonCursor>;

function createJsonCursor(json: Uint8Array) {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.length);
  let at = 0;
  let start = 0;
  const skipSpace = () => {
    while (bytes[at] === 0x20 || ((bytes[at] ?? 0) >= 0x09 && (bytes[at] ?? 0) <= 0x0d)) at++;
  };
  /** Skips white space and this character. Returns false, and stays, if another one follows. */
  const token = (character: string) => {
    skipSpace();
    if (bytes[at] !== character.charCodeAt(0)) return false;
    at++;
    return true;
  };
  return {
    token,

    /** Skips white space and a string. Returns false if none follows or if it has an escape before its end. */
    string() {
      if (!token('"')) return false;
      start = at;
      const end = bytes.indexOf(quote, at);
      at = end + 1;
      // An escaped quote is not the end.
      return end !== -1 && bytes[end - 1] !== backslash;
    },

    /** Returns whether the last string is this one. */
    is(word: string) {
      if (at - 1 - start !== word.length) return false;
      for (let i = 0; i < word.length; i++) if (bytes[start + i] !== word.charCodeAt(i)) return false;
      return true;
    },

    /** Returns the last string. */
    text: () => bytes.toString("latin1", start, at - 1),
    isAtEnd() {
      skipSpace();
      return at === bytes.length;
    },
  };
}

/** Parses the whole response. */
function parsedLeafInputs(response: Uint8Array): string[] {
  const value = parseJson(utf8Text(response) ?? "") as { entries?: unknown } | null | undefined;
  if (value === undefined) throw malformedBlock("the response is not JSON");
  const entries = value?.entries;
  if (!Array.isArray(entries)) throw malformedBlock("the response has no list of entries");
  return entries.map((entry: { leaf_input?: unknown } | null, index) => {
    const leaf = entry?.leaf_input;
    if (typeof leaf !== "string") throw malformedBlock(`entry ${index} of the response has no leaf_input`);
    return leaf;
  });
}

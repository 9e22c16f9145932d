import type { EntryEncoding } from "../log.ts";

/** White space at the start of a JSON text is rare; more than this is not skipped. */
const headBytes = 4_096;

/** Returns the form of a file with entries, by its first bytes; undefined if it has none. */
export function detectEncoding(bytes: Uint8Array): EntryEncoding | undefined {
  const head = Buffer.from(bytes.subarray(0, headBytes)).toString("latin1").trimStart();
  if (head.startsWith("{")) {
    if (/^\{\s*"(Timestamp|Subject|DNS|IP)"/.test(head)) return "names_tile";
    return /"entries"\s*:/.test(head) ? "get_entries" : undefined;
  }
  // A data tile starts with a time in milliseconds: from 1978 to 2527 in these two bytes of eight, from 2004 in the third.
  return bytes.length > 8 && bytes[0] === 0 && bytes[1] === 0 && bytes[2]! > 0 && bytes[2]! < 0x10
    ? "data_tile"
    : undefined;
}

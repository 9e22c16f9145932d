/**
 * Names tiles of Sunlight: JSON lines `{Timestamp, Subject: {CommonName}, DNS: []}`. No signature covers them. Entries that
 * the log could not encode are left out.
 */
import { tileWidth } from "../trees/right-edge.ts";
import { malformedBlock, type Leaves } from "./leaves.ts";
import type { NameBuffer } from "./name-buffer.ts";

interface NamesLine {
  Timestamp?: unknown;
  Subject?: { CommonName?: unknown } | null;
  DNS?: unknown;
}

const lineFeed = 0x0a;

/** Reads the entries of a names tile. Returns the number of malformed lines. Throws `LogError` if the tile has too many. */
export function readNamesTile(tile: Uint8Array, leaves: Leaves, names: NameBuffer): number {
  leaves.clear(tileWidth);
  leaves.bytes = tile;
  let malformed = 0;
  const text = Buffer.from(tile.buffer, tile.byteOffset, tile.length);
  for (let start = 0, end: number; start < text.length; start = end + 1) {
    end = text.indexOf(lineFeed, start);
    if (end === -1) end = text.length;
    if (end === start) continue;
    if (leaves.count === tileWidth) throw malformedBlock(`the names tile has more than ${tileWidth} entries`);
    names.startEntry(leaves.count);
    const line = parsed(text.toString("utf8", start, end));
    if (!addNames(line, names)) malformed++;
    const timestamp = typeof line?.Timestamp === "number" ? Math.max(0, Math.trunc(line.Timestamp)) : 0;
    leaves.add(timestamp, 0, start, start);
  }
  return malformed;
}

/** Adds the names of a line. Returns whether all parts of it have the form that is expected. */
function addNames(line: NamesLine | null, names: NameBuffer): boolean {
  if (line === null || typeof line !== "object") return false;
  const { DNS = [], Subject } = line;
  let intact = Array.isArray(DNS);
  for (const name of Array.isArray(DNS) ? DNS : []) {
    if (typeof name === "string") {
      const bytes = Buffer.from(name);
      names.addAlternativeName(bytes, 0, bytes.length);
    } else intact = false;
  }
  const commonName = Subject?.CommonName;
  if (typeof commonName === "string") {
    const bytes = Buffer.from(commonName);
    names.addCommonName(bytes, 0, bytes.length);
  }
  return intact;
}

function parsed(line: string): NamesLine | null {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

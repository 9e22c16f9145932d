import { looksLikeAddress, looksLikeName } from "./links.ts";
import { isBlank, tooLong, type LineParser } from "./plain-lines.ts";

const hash = 0x23;
/** Name of the machine itself in many hosts files. */
const ownName = new TextEncoder().encode("localhost.localdomain");

/**
 * Parses a hosts file (hosts(5)): an address and the names that it stands for. Takes every name, whatever the address.
 * Single labels, such as `localhost`, and addresses instead of names are ignored.
 */
export const parseHostsLines: LineParser = (block, chunk) => {
  const { bytes, starts, ends, count } = block;
  chunk.start(block, bytes);
  for (let i = 0; i < count; i++) {
    let at = starts[i]!;
    let end = ends[i]!;
    if (end < 0) {
      chunk.error(tooLong, i);
      continue;
    }
    for (let j = at; j < end; j++) if (bytes[j] === hash) end = j;
    while (at < end && isBlank(bytes[at]!)) at++;
    if (at === end) continue;
    const addressEnd = endOfField(bytes, at, end);
    if (!looksLikeAddress(bytes, at, addressEnd)) {
      chunk.error("does not start with an address, as lines of a hosts file do", i);
      continue;
    }
    // A name is added when the next one is found, which decides whether the line contains more.
    let [nameStart, nameEnd] = [-1, -1];
    for (at = addressEnd; at < end;) {
      while (at < end && isBlank(bytes[at]!)) at++;
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
  while (i < end && !isBlank(bytes[i]!)) i++;
  return i;
}

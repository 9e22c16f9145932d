/**
 * Collects the lines of one email up to a size that is parsed in a few milliseconds. Pictures and documents are most of
 * an email and contain no links that are read, so that only the start of what looks like an encoded attachment is kept.
 */
export interface MessageBuffer {
  /** Adds the line `bytes[start..end)`, without its line feed. */
  add(bytes: Uint8Array, start: number, end: number): void;
  /** Whether no line of a message was added yet. */
  readonly isEmpty: boolean;
  /** Returns the message and starts the next one. `isCut`: it had more than is read. */
  take(): { bytes: Uint8Array<ArrayBuffer>; isCut: boolean };
}

/** Maximum size of a message without the attachments, in bytes. */
export const messageBytesMax = 1 << 20;
const linesMax = 15_000;
/** A line that starts with `--` may separate two parts, which costs more than other lines. */
const separatorsMax = 500;
/** Start of an attachment that is kept, in bytes as encoded: attached pages are seldom larger. */
const encodedBytesMax = 384 << 10;
const encodedLineBytesMin = 40;
const dash = 0x2d;
const lineFeed = 0x0a;

/** 1 for the characters of base64 and the carriage return. */
const isEncoded = new Uint8Array(256);
for (const character of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\r")
  isEncoded[character.charCodeAt(0)] = 1;

export function createMessageBuffer(): MessageBuffer {
  let kept = new Uint8Array(1 << 14);
  let used = 0;
  let keptLines = 0;
  let separators = 0;
  let encodedBytes = 0;
  let isCut = false;

  function append(bytes: Uint8Array, start: number, end: number): void {
    const needed = used + end - start + 1;
    if (needed > kept.length) {
      const larger = new Uint8Array(Math.min(messageBytesMax, Math.max(needed, 2 * kept.length)));
      larger.set(kept.subarray(0, used));
      kept = larger;
    }
    for (let i = start; i < end; i++) kept[used++] = bytes[i]!;
    kept[used++] = lineFeed;
    keptLines++;
  }

  return {
    get isEmpty() {
      return keptLines === 0;
    },
    add(bytes, start, end) {
      // People leave lines empty when they paste.
      const isBlank = end - start <= 1;
      if (isCut || (isBlank && keptLines === 0)) return;
      encodedBytes = isEncodedLine(bytes, start, end) ? encodedBytes + end - start : 0;
      if (encodedBytes > encodedBytesMax) return;
      if (bytes[start] === dash && bytes[start + 1] === dash) separators++;
      isCut = used + end - start + 1 > messageBytesMax || keptLines >= linesMax || separators > separatorsMax;
      if (!isCut) append(bytes, start, end);
    },
    take() {
      const taken = { bytes: kept.slice(0, used), isCut };
      used = keptLines = separators = encodedBytes = 0;
      isCut = false;
      return taken;
    },
  };
}

function isEncodedLine(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start < encodedLineBytesMin) return false;
  for (let i = start; i < end; i++) if (isEncoded[bytes[i]!] === 0) return false;
  return true;
}

import { createByteBuffer } from "../byte-buffer.ts";

/** Status line and headers of a response. */
export interface ResponseHead {
  version: string;
  status: number;
  /** By lowercase name; repeated headers are joined with ", ". */
  headers: Map<string, string>;
}

export const headBytesMax = 16_384;
/** That of Chromium. */
const browserHeadBytesMax = 262_144;
/** Lines of such a head that are parsed, in a few milliseconds. */
const browserHeadLinesMax = 2_000;
const blankLineLength = 4;
const carriageReturn = 13;
const lineFeed = 10;
const latin1 = new TextDecoder("latin1");

/**
 * Collects the bytes up to the blank line after the headers.
 * @param options.asBrowser accepts what browsers accept, too: longer heads, lines that end with LF only, and header lines
 *   without a name. These are ignored, as is what follows a number of lines.
 */
export function createHeadReader({ asBrowser = false } = {}) {
  const bytesMax = asBrowser ? browserHeadBytesMax : headBytesMax;
  const buffer = createByteBuffer(bytesMax + blankLineLength);
  /** Number of bytes of the blank line's CR LF CR LF that were just read; a line feed can follow another one in a browser. */
  let matched = 0;
  const isTooLong = () => buffer.length - matched > bytesMax;
  return {
    /** Number of bytes collected. */
    get length() {
      return buffer.length;
    },

    /** Returns the index after the last byte that it took. */
    read(bytes: Uint8Array, from: number) {
      const room = from + bytesMax + blankLineLength - buffer.length;
      const last = Math.min(bytes.length, room);
      let index = from;
      while (index < last && matched < blankLineLength) {
        const byte = bytes[index]!;
        if (byte === (matched % 2 === 0 ? carriageReturn : lineFeed)) matched += 1;
        else if (asBrowser && byte === lineFeed) matched = matched === 2 ? blankLineLength : 2;
        else matched = byte === carriageReturn ? 1 : 0;
        index += 1;
      }
      buffer.add(bytes, from, index);
      return index;
    },
    state: () => (isTooLong() ? "too long" : matched === blankLineLength ? "complete" : "more"),

    /** Parses a complete head, then starts over with the next one. Returns why it is invalid. */
    parse() {
      const bytes = buffer.bytes();
      const text = latin1.decode(bytes);
      const head = asBrowser
        ? parseHead(text.replace(/(?:\r?\n){2}$/, "").split(/\r?\n/, browserHeadLinesMax), {
            skipsBadLines: true,
          })
        : parseHead(text.slice(0, -blankLineLength).split("\r\n"), { skipsBadLines: false });
      buffer.clear();
      matched = 0;
      return head;
    },
  };
}

function parseHead(
  [statusLine = "", ...lines]: string[],
  { skipsBadLines }: { skipsBadLines: boolean },
): ResponseHead | string {
  const status = /^HTTP\/(1\.[01]) ([1-9]\d\d)(?: .*)?$/.exec(statusLine);
  if (status === null) return "not an HTTP/1 response";
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon === -1 || !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+:/.test(line) || /[\r\n]/.test(line))
      if (skipsBadLines) continue;
      else return "bad header line";
    const name = line.slice(0, colon).toLowerCase();
    const value = trimBlanks(line.slice(colon + 1));
    const known = headers.get(name);
    headers.set(name, known === undefined ? value : `${known}, ${value}`);
  }
  return { version: status[1]!, status: Number(status[2]), headers };
}

/** Removes spaces and tabs at both ends. A regular expression takes quadratic time for thousands of inner spaces. */
function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  const isBlank = (index: number) => text[index] === " " || text[index] === "\t";
  while (start < end && isBlank(start)) start += 1;
  while (end > start && isBlank(end - 1)) end -= 1;
  return text.slice(start, end);
}

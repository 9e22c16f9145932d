import { isUtf8 } from "node:buffer";
import type { Turns } from "../../../platform/network/turns.ts";

/** Number of bytes at the start of a page that are searched for its encoding (WHATWG HTML, "prescan"). */
const prescanBytes = 1_024;
const refreshSecondsMax = 10;

/** Short enough that any piece takes only a few milliseconds to parse. */
const pieceBytes = 8_192;
/** Maximum length of a UTF-8 character minus one: what is left of one that was cut off. */
const partialCharacterBytesMax = 3;

/**
 * Decodes a page in pieces, so that it is never in memory as a whole. The encoding is taken from the byte order mark,
 * Content-Type or `<meta>`, in this order (WHATWG HTML §13.2.3); otherwise it is UTF-8 if valid, or windows-1252. Invalid
 * bytes become U+FFFD.
 */
export function* decodePage(body: Uint8Array, contentType: string | undefined): Generator<string> {
  const label = byteOrderMark(body) ?? charsetOf(contentType) ?? metaCharset(body);
  const declared = label === undefined ? undefined : decoderFor(label);
  const decoder = declared ?? new TextDecoder(isMostlyUtf8(body) ? "utf-8" : "windows-1252");
  for (let from = 0; from < body.length; from += pieceBytes)
    yield decoder.decode(body.subarray(from, from + pieceBytes), { stream: true });
  yield decoder.decode();
}

/** Returns whether the bytes are UTF-8, apart from a character that was cut off at the end. */
function isMostlyUtf8(body: Uint8Array): boolean {
  for (let cut = 0; cut <= Math.min(partialCharacterBytesMax, body.length); cut += 1)
    if (isUtf8(body.subarray(0, body.length - cut))) return true;
  return false;
}

function byteOrderMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return first === 0xff && second === 0xfe ? "utf-16le" : undefined;
}

function charsetOf(text: string | undefined): string | undefined {
  return /charset\s{0,9}=\s{0,9}["']?([\w:.-]{1,40})/i.exec(text ?? "")?.[1];
}

function metaCharset(body: Uint8Array): string | undefined {
  const start = new TextDecoder("latin1").decode(body.subarray(0, prescanBytes));
  const label = charsetOf(/<meta\s[^>]{0,300}charset[^>]{0,100}>/i.exec(start)?.[0]);
  // The tag could be read as ASCII, so the page cannot be UTF-16.
  return label !== undefined && /^utf-?16/i.test(label) ? "utf-8" : label;
}

function decoderFor(label: string): TextDecoder | undefined {
  try {
    return new TextDecoder(label as Bun.Encoding);
  } catch {
    return undefined;
  }
}

/** Parses `5; url=/next`, in the many spellings that browsers accept. */
export function refreshTarget(content: string): string | undefined {
  const match = /^\s*(\d{0,9})(?:\.\d*)?\s*[;,\s]\s*(?:url\s*=\s*)?["']?([^"']+)/i.exec(content);
  if (match === null || Number(match[1]) > refreshSecondsMax) return undefined;
  return match[2]!.trim();
}

/** Collects text up to a maximum length. */
export type TextCollector = ReturnType<typeof createTextCollector>;

export function createTextCollector(lengthMax: number) {
  let parts: string[] = [];
  let length = 0;
  return {
    add(part: string) {
      if (length >= lengthMax) return;
      parts.push(part.slice(0, lengthMax - length));
      length += part.length;
    },

    /** Returns what was collected, and starts over. */
    take() {
      const text = parts.join("");
      parts = [];
      length = 0;
      return text;
    },
  };
}

/** Collects the text of one element at a time. An element that is not closed ends where the next one begins. */
export type ElementText = ReturnType<typeof createElementText>;

export function createElementText(lengthMax: number, take: (text: string) => void) {
  const text = createTextCollector(lengthMax);
  let isOpen = false;
  const end = () => {
    if (!isOpen) return;
    isOpen = false;
    take(text.take());
  };
  return {
    begin() {
      end();
      isOpen = true;
    },
    add: (part: string) => void (isOpen && text.add(part)),
    end,
  };
}

/** Length of text that is processed at once. Folding is the slowest: one character can become 18. */
const pieceLength = 4_000;
/** A piece ends after white space, if there is any within this length. */
const wordLengthMax = 500;

/** Length of markup that is parsed at once. */
const markupPieceLength = 8_192;

/** Yields markup in pieces of a length that is parsed without a pause. */
export function* markupPieces(markup: string): Generator<string> {
  for (let from = 0; from < markup.length; from += markupPieceLength)
    yield markup.slice(from, from + markupPieceLength);
}

/** Converts a long text in pieces of whole words, and joins the results with spaces. Other work runs in between. */
export async function mapText(
  text: string,
  convert: (piece: string) => string,
  turns: Turns,
): Promise<string> {
  if (text.length <= pieceLength) return convert(text);
  const results: string[] = [];
  for (let from = 0; from < text.length;) {
    await turns.next();
    const end = endOfPiece(text, from);
    const result = convert(text.slice(from, end));
    if (result !== "") results.push(result);
    from = end;
  }
  return results.join(" ");
}

function endOfPiece(text: string, from: number): number {
  const end = from + pieceLength;
  if (end >= text.length) return text.length;
  const space = /\s/.exec(text.slice(end, end + wordLengthMax));
  return space === null ? end : end + space.index + 1;
}

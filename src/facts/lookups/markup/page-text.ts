import { isUtf8 } from "node:buffer";

/** Number of bytes at the start of a page that are searched for its encoding (WHATWG HTML, "prescan"). */
const prescanBytes = 1_024;
const refreshSecondsMax = 10;

/** Short enough that a piece takes a few milliseconds to parse, whatever it contains. */
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

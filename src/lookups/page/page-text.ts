/** How many bytes at the start of a page are searched for its encoding (WHATWG HTML, "prescan"). */
const prescanBytes = 1_024;
const refreshSecondsMax = 10;

/**
 * The text of a page: by byte order mark, Content-Type, `<meta>`, in this order (WHATWG HTML §13.2.3), else UTF-8
 * where it is valid, else windows-1252. Bytes that mean nothing become U+FFFD.
 */
export function decodePage(body: Uint8Array, contentType: string | undefined): string {
  const label = byteOrderMark(body) ?? charsetOf(contentType) ?? metaCharset(body);
  const decoder = label === undefined ? undefined : decoderFor(label);
  if (decoder !== undefined) return decoder.decode(body);
  const text = new TextDecoder().decode(body);
  return text.slice(0, -4).includes("\ufffd") ? new TextDecoder("windows-1252").decode(body) : text;
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
  // The tag could be read, so the page is in no such encoding.
  return label !== undefined && /^utf-?16/i.test(label) ? "utf-8" : label;
}

function decoderFor(label: string): TextDecoder | undefined {
  try {
    return new TextDecoder(label as Bun.Encoding);
  } catch {
    return undefined;
  }
}

/** `5; url=/next`, in the many spellings that browsers take. */
export function refreshTarget(content: string): string | undefined {
  const match = /^\s*(\d{0,9})(?:\.\d*)?\s*[;,\s]\s*(?:url\s*=\s*)?["']?([^"']+)/i.exec(content);
  if (match === null || Number(match[1]) > refreshSecondsMax) return undefined;
  return match[2]!.trim();
}

/**
 * Hashes a site's icon as Shodan's `http.favicon.hash` does, so that it can be searched for there and in similar indexes:
 * MurmurHash3 (x86, 32 bit, seed 0, signed) of the icon in base64 with a line feed after every 76 characters and at the
 * end, as written by Python's `base64.encodebytes`.
 */
export function faviconHash(bytes: Uint8Array): string {
  const lines =
    Buffer.from(bytes)
      .toString("base64")
      .match(/.{1,76}/g) ?? [];
  return String(Bun.hash.murmur32v3(lines.map((line) => `${line}\n`).join(""), 0) | 0);
}

/** Returns the URL of a page's icon: the one that it links, or the one that browsers try by default. */
export function faviconAddress(
  icons: readonly { rel: string; href: string }[],
  base: string,
): string | undefined {
  const usable = icons.find(({ rel, href }) => href !== "" && /(^|\s)icon(\s|$)/.test(rel));
  const href = usable?.href ?? "/favicon.ico";
  return URL.canParse(href, base) ? new URL(href, base).href : undefined;
}

/** Returns the content of a `data:` URL (RFC 2397); undefined for any other URL. */
export function dataAddress(address: string): Uint8Array | undefined {
  const match = /^data:([^,]{0,200}),/.exec(address);
  if (match === null) return undefined;
  const content = address.slice(match[0].length);
  try {
    const bytes = /;\s*base64\s*$/i.test(match[1]!)
      ? Buffer.from(decodeURIComponent(content), "base64")
      : Buffer.from(decodeURIComponent(content));
    return bytes.length === 0 ? undefined : bytes;
  } catch {
    return undefined;
  }
}

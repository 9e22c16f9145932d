/** Largest image of an icon file. */
interface Entry {
  width: number;
  length: number;
  offset: number;
}

const headerBytes = 6;
const entryBytes = 16;
const entriesMax = 64;
const bitmapHeaderBytes = 14;
const pngStart = [0x89, 0x50, 0x4e, 0x47];

/**
 * Returns the largest image of an icon file (ICO: a PNG or a bitmap without its file header) as a PNG or BMP file.
 * Undefined for anything else.
 */
export function imageOfIconFile(icon: Uint8Array): Uint8Array | undefined {
  if (icon.length < headerBytes + entryBytes) return undefined;
  const view = new DataView(icon.buffer, icon.byteOffset, icon.byteLength);
  if (view.getUint16(0, true) !== 0 || view.getUint16(2, true) !== 1) return undefined;
  const count = Math.min(view.getUint16(4, true), entriesMax);
  const entries: Entry[] = [];
  for (let index = 0; index < count; index += 1) {
    const at = headerBytes + index * entryBytes;
    if (at + entryBytes > icon.length) break;
    const [length, offset] = [view.getUint32(at + 8, true), view.getUint32(at + 12, true)];
    // 0 stands for 256.
    if (length > 40 && offset + length <= icon.length)
      entries.push({ width: icon[at] === 0 ? 256 : (icon[at] ?? 0), length, offset });
  }
  const [largest] = entries.toSorted((one, other) => other.width - one.width);
  if (largest === undefined) return undefined;
  const image = icon.subarray(largest.offset, largest.offset + largest.length);
  return pngStart.every((byte, index) => image[index] === byte) ? image : asBitmapFile(image);
}

/** Adds the file header of a bitmap, and drops the mask: an icon states the height of both together. */
function asBitmapFile(image: Uint8Array): Uint8Array | undefined {
  const view = new DataView(image.buffer, image.byteOffset, image.byteLength);
  const infoBytes = view.getUint32(0, true);
  const [bits, colors] = [view.getUint16(14, true), view.getUint32(32, true)];
  if (infoBytes < 40 || infoBytes > image.length) return undefined;
  const paletteBytes = bits > 8 ? 0 : 4 * (colors === 0 ? 2 ** bits : Math.min(colors, 256));
  const file = new Uint8Array(bitmapHeaderBytes + image.length);
  file.set(image, bitmapHeaderBytes);
  const written = new DataView(file.buffer);
  file.set([0x42, 0x4d]);
  written.setUint32(2, file.length, true);
  written.setUint32(10, bitmapHeaderBytes + infoBytes + paletteBytes, true);
  written.setInt32(bitmapHeaderBytes + 8, Math.trunc(view.getInt32(8, true) / 2), true);
  return file;
}

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

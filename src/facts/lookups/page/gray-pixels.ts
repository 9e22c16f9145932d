import { inflateSync } from "node:zlib";

/** Somewhat more than a browser's viewport. An image that claims to be larger is not decoded. */
const pixelsMaxDefault = 16_000_000;
const white = 255;
/**
 * A progressive JPEG consists of scans, of which encoders write about ten. Each one passes over all pixels, so that
 * thousands of them, of a few bytes each, would occupy a processor for many seconds.
 */
const jpegScansMax = 64;
const jpegStart = Buffer.from([0xff, 0xd8]);
/** "Start of scan" (ITU-T T.81 §B.1.1.3). Compressed data has no such bytes. */
const scanStart = Buffer.from([0xff, 0xda]);
const depth = 8;
const channelsOf: Record<number, number> = { 0: 1, 2: 3, 4: 2, 6: 4 };

/**
 * Converts an image to `width` × `height` gray values of 0 to 255, row by row. Transparent parts show the gray value
 * `background`. `Bun.Image` does not expose pixels, so they are decoded from a PNG of a few kilobytes that it produces.
 * @throws if the bytes are not an image, or one that takes long to decode.
 */
export async function grayPixels(
  image: Uint8Array,
  width: number,
  height = width,
  { pixelsMax = pixelsMaxDefault, background = white }: { pixelsMax?: number; background?: number } = {},
): Promise<Uint8Array> {
  if (hasTooManyScans(image)) throw new Error(`a JPEG with more than ${jpegScansMax} scans is not decoded`);
  const png = await new Bun.Image(image as Uint8Array<ArrayBuffer>, { maxPixels: pixelsMax })
    .resize(width, height, { filter: "box", fit: "fill" })
    .png()
    .bytes();
  const { channels, data } = readPng(png);
  const pixels = unfilter(inflateSync(data), { width, height, channels });
  return Uint8Array.from({ length: width * height }, (_, index) => {
    const at = index * channels;
    const opacity = channels % 2 === 0 ? (pixels[at + channels - 1] ?? 0) / 255 : 1;
    // Rec. 601 luma.
    const gray =
      channels < 3
        ? (pixels[at] ?? 0)
        : 0.299 * (pixels[at] ?? 0) + 0.587 * (pixels[at + 1] ?? 0) + 0.114 * (pixels[at + 2] ?? 0);
    return Math.round(gray * opacity + background * (1 - opacity));
  });
}

function hasTooManyScans(image: Uint8Array): boolean {
  const bytes = Buffer.from(image.buffer, image.byteOffset, image.byteLength);
  if (!bytes.subarray(0, jpegStart.length).equals(jpegStart)) return false;
  let scans = 0;
  for (let at = bytes.indexOf(scanStart); at !== -1; at = bytes.indexOf(scanStart, at + 2)) scans += 1;
  return scans > jpegScansMax;
}

/** Reads PNG chunks (RFC 2083 §3): the color type of the header, and the concatenated data. */
function readPng(png: Uint8Array): { channels: number; data: Uint8Array } {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  const parts: Uint8Array[] = [];
  let channels: number | undefined;
  for (let at = 8; at < png.length;) {
    const length = view.getUint32(at);
    const type = String.fromCharCode(...png.subarray(at + 4, at + 8));
    const content = png.subarray(at + 8, at + 8 + length);
    if (type === "IHDR" && content[8] === depth) channels = channelsOf[content[9] ?? 0];
    if (type === "IDAT") parts.push(content);
    at += 12 + length;
  }
  if (channels === undefined) throw new Error("PNG has an unexpected bit depth or color type");
  return { channels, data: Buffer.concat(parts) };
}

/** Reverses the row filters (RFC 2083 §6). */
function unfilter(
  rows: Uint8Array,
  { width, height, channels }: { width: number; height: number; channels: number },
): Uint8Array {
  const length = width * channels;
  const pixels = new Uint8Array(height * length);
  for (let y = 0; y < height; y++) {
    const filter = rows[y * (length + 1)] ?? 0;
    for (let x = 0; x < length; x++) {
      const raw = rows[y * (length + 1) + 1 + x] ?? 0;
      const left = x < channels ? 0 : (pixels[y * length + x - channels] ?? 0);
      const above = y === 0 ? 0 : (pixels[(y - 1) * length + x] ?? 0);
      const corner = y === 0 || x < channels ? 0 : (pixels[(y - 1) * length + x - channels] ?? 0);
      pixels[y * length + x] = raw + predicted(filter, left, above, corner);
    }
  }
  return pixels;
}

function predicted(filter: number, left: number, above: number, corner: number): number {
  switch (filter) {
    case 1:
      return left;
    case 2:
      return above;
    case 3:
      return (left + above) >> 1;
    case 4: {
      const estimate = left + above - corner;
      const [toLeft, toAbove, toCorner] = [left, above, corner].map((value) => Math.abs(estimate - value));
      if (toLeft! <= toAbove! && toLeft! <= toCorner!) return left;
      return toAbove! <= toCorner! ? above : corner;
    }
    default:
      return 0;
  }
}

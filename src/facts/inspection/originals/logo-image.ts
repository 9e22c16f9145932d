import { createHash } from "node:crypto";
import { badRequest } from "../../../platform/lib/errors.ts";
import { grayPixels } from "../../lookups/page/gray-pixels.ts";
import { hashSide, perceptualHash } from "../../lookups/page/perceptual-hash.ts";

/** A logo as it is stored. */
export interface LogoImage {
  /** PNG without metadata. */
  image: Buffer;
  sha256: string;
  /** Perceptual hash. */
  hash: string;
  width: number;
  height: number;
}

/** Size of the file that a person may add. */
export const logoFileBytesMax = 4 * 1024 * 1024;
/** Size of the stored image. */
const logoBytesMax = 256 * 1024;
/** An image that claims to be larger is not decoded. */
const pixelsMax = 16_000_000;
const sideMin = 16;
/** Widths and heights to which the image is reduced, until it is small enough. */
const sidesMax = [640, 320, 160];
const formats = ["png", "jpeg", "webp"];

/**
 * Decodes a PNG, JPEG or WebP file and encodes it again, which drops metadata and everything that is no picture.
 * @throws PublicError `bad_request` that says what to change
 */
export async function readLogo(file: Uint8Array): Promise<LogoImage> {
  if (file.length === 0) throw badRequest("The file is empty. Choose a PNG, JPEG or WebP image.");
  if (file.length > logoFileBytesMax)
    throw badRequest(`The file has more than ${logoFileBytesMax / 1024 / 1024} MiB. Reduce the image.`);
  const { format, width, height } = await metadataOf(file);
  if (!formats.includes(format)) throw badRequest(notSupported);
  if (width < sideMin || height < sideMin)
    throw badRequest(
      `The image has ${width} × ${height} pixels. A logo needs at least ${sideMin} × ${sideMin}.`,
    );
  if (width * height > pixelsMax)
    throw badRequest(
      `The image has ${width} × ${height} pixels. The maximum is ${pixelsMax / 1_000_000} million.`,
    );
  for (const side of sidesMax) {
    const image = await encode(file, side);
    if (image.length > logoBytesMax) continue;
    const hash = perceptualHash(await grayPixels(image, hashSide));
    if (hash === undefined)
      throw badRequest("The image is blank, so nothing could be recognized by it. Choose another one.");
    const stored = await metadataOf(image);
    const sha256 = createHash("sha256").update(image).digest("hex");
    return { image: Buffer.from(image), sha256, hash, width: stored.width, height: stored.height };
  }
  throw badRequest("The image has too much detail for a logo. Crop it to the logo.");
}

const notSupported =
  "The file is not a PNG, JPEG or WebP image. Export the logo as PNG, for example from an SVG file.";

async function metadataOf(file: Uint8Array): Promise<{ format: string; width: number; height: number }> {
  try {
    return await open(file).metadata();
  } catch {
    throw badRequest(notSupported);
  }
}

async function encode(file: Uint8Array, side: number): Promise<Uint8Array> {
  try {
    return await open(file).resize(side, side, { fit: "inside", withoutEnlargement: true }).png().bytes();
  } catch {
    throw badRequest("The image is damaged. Export it again.");
  }
}

function open(file: Uint8Array): Bun.Image {
  return new Bun.Image(file as Uint8Array<ArrayBuffer>, { maxPixels: pixelsMax });
}

/** In pixels: twice the width in which rows show it. */
const thumbnailWidth = 224;

/** An image that claims to be larger is not decoded. */
const pixelsMax = 16_000_000;
const quality = 70;

/**
 * Returns a WebP of a few kilobytes that shows a whole screenshot. Its height follows from its width; smaller images keep
 * their size. Decoding and encoding run on other threads.
 * @throws if the bytes are not an image.
 */
export async function thumbnailOf(image: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const small = new Bun.Image(image, { maxPixels: pixelsMax }).resize(thumbnailWidth, undefined, {
    filter: "box",
    withoutEnlargement: true,
  });
  return (await small.webp({ quality }).bytes()) as Uint8Array<ArrayBuffer>;
}

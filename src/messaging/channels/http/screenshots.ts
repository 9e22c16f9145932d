/** A small screenshot, for upload with a message. */
export interface Screenshot {
  mediaType: "image/jpeg";
  bytes: Uint8Array;
}

const widthPixels = 800;
/** Most screenshots take a third of it. */
const quality = 75;
/** Below the limits of all services: Telegram 10 MB, Discord 10 MiB, ntfy 2 MB. */
const bytesMax = 500_000;
/** Protects the decoder from images that are small files only. */
const pixelsMax = 20_000_000;

/**
 * Returns a function that returns the small screenshot of a threat's page, or null if there is none or it cannot be
 * converted: the message is more important.
 * @param read returns the screenshot as it is stored
 */
export function createSmallScreenshots(
  read: (threatId: string) => Promise<{ webp: Uint8Array<ArrayBuffer> } | { why: string }>,
): (threatId: string) => Promise<Screenshot | null> {
  return async (threatId) => {
    try {
      const found = await read(threatId);
      if (!("webp" in found)) return null;
      const image = new Bun.Image(found.webp, { maxPixels: pixelsMax });
      const bytes = await image
        .resize(widthPixels, undefined, { withoutEnlargement: true })
        .jpeg({ quality })
        .bytes();
      return bytes.length > bytesMax ? null : { mediaType: "image/jpeg", bytes };
    } catch {
      return null;
    }
  };
}

import type { ScreenshotKind } from "../../../platform/vocabulary/inspections.ts";

/** Width in pixels of what is left: no text can be read and nobody recognized, but the layout can be seen. */
const blurredWidth = 48;
/** Width to which that is enlarged, so that it can be shown. */
const shownWidth = 640;
const pixelsMax = 16_000_000;
const quality = 60;

/**
 * Returns what may be kept of a screenshot (WebP); undefined for nothing. What blurring removes cannot be restored: the
 * result contains 48 pixels for each row of the screenshot.
 * @throws if the bytes are not an image.
 */
export async function keptScreenshot(
  screenshot: Uint8Array,
  keep: ScreenshotKind,
): Promise<Uint8Array | undefined> {
  if (keep === "full") return screenshot;
  if (keep === "fingerprints") return undefined;
  const small = await new Bun.Image(screenshot as Uint8Array<ArrayBuffer>, { maxPixels: pixelsMax })
    .resize(blurredWidth, undefined, { filter: "box" })
    .png()
    .bytes();
  return new Bun.Image(small).resize(shownWidth, undefined, { filter: "bilinear" }).webp({ quality }).bytes();
}

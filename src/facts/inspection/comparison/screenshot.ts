import { grayPixels } from "../../lookups/page/gray-pixels.ts";
import { hashSide, perceptualHash } from "../../lookups/page/perceptual-hash.ts";
import type { GrayPicture } from "../measures/gray-picture.ts";
import { locateLogo, logoTemplate, searchedPicture, type LogoTemplate } from "../measures/logo-search.ts";
import { oncePerObject } from "./once-per-object.ts";
import type { LocatedLogo, Brand, BrandLogo } from "../model/verdict.ts";

/** Screenshots are scaled to this width, half of the viewport. Logos are still legible. */
const searchedWidth = 640;
const searchedHeightMax = 1_000;
const logoSideMax = 256;
/** Correlation below which a place is not worth reporting. */
const correlationMin = 0.6;

/** A screenshot as it is compared. */
export interface ReadScreenshot {
  /** Perceptual hash; absent for a blank page. */
  hash?: string;
  /** Logos that were located in it, in pixels of the screenshot. */
  logos: LocatedLogo[];
}

interface ReadScreenshotOptions {
  screenshot: Uint8Array;
  brands: readonly Brand[];
}

/**
 * Reads a screenshot (any raster format) and locates the logos of brands in it. Takes about 50 ms, and microseconds for
 * each logo: run it in a thread.
 * @throws if the bytes are not an image.
 */
export async function readScreenshot({ screenshot, brands }: ReadScreenshotOptions): Promise<ReadScreenshot> {
  const hash = perceptualHash(await grayPixels(screenshot, hashSide));
  const logos = brands.flatMap(({ protectedDomain, logos: added }) =>
    added.map((logo) => ({ protectedDomain, logo })),
  );
  const result: ReadScreenshot = { hash, logos: [] };
  if (logos.length === 0) return result;
  const { width, height } = await new Bun.Image(screenshot as Uint8Array<ArrayBuffer>).metadata();
  const scale = Math.min(1, searchedWidth / width);
  const picture = await grayPicture(screenshot, {
    width: Math.round(width * scale),
    height: Math.max(1, Math.min(searchedHeightMax, Math.round(height * scale))),
  });
  const searched = searchedPicture(picture);
  for (const { protectedDomain, logo } of logos) {
    const template = await templateOf(logo);
    const place = template === undefined ? undefined : locateLogo(searched, template);
    if (place === undefined || place.correlation < correlationMin) continue;
    result.logos.push({
      protectedDomain,
      name: logo.name,
      correlation: Math.round(place.correlation * 1_000) / 1_000,
      x: Math.round(place.x / scale),
      y: Math.round(place.y / scale),
      width: Math.round(place.width / scale),
      height: Math.round(place.height / scale),
    });
  }
  return result;
}

/** An image is never changed, only replaced. */
const templateOf = oncePerObject(({ image }: BrandLogo) => decodedTemplate(image));

async function decodedTemplate(image: Uint8Array): Promise<LogoTemplate | undefined> {
  try {
    const { width, height } = await new Bun.Image(image as Uint8Array<ArrayBuffer>).metadata();
    const scale = Math.min(1, logoSideMax / Math.max(width, height));
    const size = {
      width: Math.max(1, Math.round(width * scale)),
      height: Math.max(1, Math.round(height * scale)),
    };
    // A light transparent logo, for dark pages, is invisible on white.
    return logoTemplate(await grayPicture(image, size)) ?? logoTemplate(await grayPicture(image, size, 0));
  } catch {
    // A logo in a format that is not decoded cannot be located; its page says so when it is added.
    return undefined;
  }
}

async function grayPicture(
  image: Uint8Array,
  { width, height }: { width: number; height: number },
  background = 255,
): Promise<GrayPicture> {
  return { width, height, gray: await grayPixels(image, width, height, { background }) };
}

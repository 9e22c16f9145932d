import { BoundedMap } from "../../../platform/lib/bounded-map.ts";
import { createLimiter } from "../../../platform/lib/limiter.ts";
import { grayPixels } from "../../lookups/page/gray-pixels.ts";
import { comparedSize, findDifferences, type Differences } from "../../lookups/pictures/differing-regions.ts";

/** Small and compared versions of screenshots, computed at the first use and kept in memory: each takes a decoding. */
export type PictureViews = ReturnType<typeof createPictureViews>;

/** About 5 kB each. */
const thumbnailsMax = 2_000;
const comparisonsMax = 2_000;
/** A page of the list asks for 50 thumbnails at once. */
const concurrencyMax = 2;

interface PictureViewsDependencies {
  readScreenshot: ReadPicture;
  readOriginal: ReadPicture;
  /** Whether the screenshot of a threat was kept as it was taken. */
  isWhole: (threatId: string) => boolean;
}

export function createPictureViews(dependencies: PictureViewsDependencies) {
  const { readScreenshot, readOriginal, isWhole } = dependencies;
  const limit = createLimiter(concurrencyMax);
  const thumbnails = new BoundedMap<string, Promise<Uint8Array<ArrayBuffer> | undefined>>(thumbnailsMax);
  const comparisons = new BoundedMap<string, Promise<Differences | undefined>>(comparisonsMax);

  const shrunk = (webp: Uint8Array<ArrayBuffer> | undefined) =>
    webp === undefined
      ? undefined
      : thumbnails.getOrCreate(contentOf(webp), () => limit(() => orUndefined(thumbnailOf(webp))));

  return {
    /** Returns the screenshot of a threat's page as a small WebP; undefined if there is none. */
    thumbnail: async (threatId: string) => shrunk(await readScreenshot(threatId)),

    /** Returns the same of the page of its protected domain. */
    originalThumbnail: async (threatId: string) => shrunk(await readOriginal(threatId)),

    /** Returns where the two pages differ; undefined without both screenshots. */
    async differences(threatId: string) {
      if (!isWhole(threatId)) return undefined;
      const [one, other] = await Promise.all([readScreenshot(threatId), readOriginal(threatId)]);
      if (one === undefined || other === undefined) return undefined;
      return comparisons.getOrCreate(`${contentOf(one)} ${contentOf(other)}`, () =>
        limit(() => orUndefined(compare(one, other))),
      );
    },
  };
}

/** Returns the WebP of a threat. */
type ReadPicture = (threatId: string) => Promise<Uint8Array<ArrayBuffer> | undefined>;

async function compare(one: Uint8Array, other: Uint8Array): Promise<Differences> {
  const { width, height } = comparedSize;
  const [ours, theirs] = await Promise.all([
    grayPixels(one, width, height),
    grayPixels(other, width, height),
  ]);
  return findDifferences(ours, theirs);
}

function contentOf(bytes: Uint8Array): string {
  return String(Bun.hash(bytes));
}

/** A file that is damaged has no view. */
function orUndefined<T>(view: Promise<T>): Promise<T | undefined> {
  return view.catch(() => undefined);
}

/** In pixels: twice its width in rows. */
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

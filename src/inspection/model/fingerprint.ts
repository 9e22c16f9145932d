import type { ContentOrigin, PagePicture } from "../../lookups/page/page-view.ts";

/**
 * Identifies a page when it is compared with others: JSON of at most 64 KiB, from which the page itself cannot be
 * restored. Stored for original pages.
 */
export interface PageFingerprint {
  /** Version of the definition of its parts. A fingerprint of an earlier one is not compared and has to be made again. */
  version: number;
  /** Where the visitor ends up. */
  address: string;
  from: ContentOrigin;
  language?: string;
  title: string;
  siteName?: string;
  headings: string[];
  /** Folded words of the visible text, in their order, up to a limit. */
  words: string[];
  /** MinHash sketches of shingles; absent if there are too few. */
  text?: Sketch;
  structure?: Sketch;
  /** Host names and paths that links, resources and forms point to, and how often. */
  links: Record<string, number>;
  resources: string[];
  forms: { action: string; asksFor: string[] }[];
  pictures: PagePicture[];
  scriptHashes: string[];
  /** Perceptual hash of the screenshot; absent if there is none. */
  screenshot?: string;
}

/** MinHash sketch of a set. */
export interface Sketch {
  /** Number of different shingles. */
  size: number;
  /** Minima of the hash functions, as unsigned 32-bit integers. */
  minima: number[];
}

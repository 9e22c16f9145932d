import type { ContentOrigin, PagePicture } from "../../lookups/page/page-view.ts";

/**
 * Identifies a page when it is compared with others: JSON of at most 64 KiB, from which the page itself cannot be
 * restored. Stored for original pages. All of it is untrusted text of the page's author.
 */
export interface PageFingerprint {
  /** Version of the definition of its parts. A fingerprint of an earlier one is not compared and has to be made again. */
  version: number;
  /** Where the visitor ends up. */
  address: string;
  /** Addresses of the redirect chain before it. */
  redirects: string[];
  from: ContentOrigin;
  language?: string;
  title: string;
  siteName?: string;
  canonical?: string;
  /** Address of the page from which a program saved this one, as it noted in a comment. */
  savedFrom?: string;
  headings: string[];
  /** Text beside the last copyright sign. */
  copyright?: string;
  /** Folded words of the visible text, in their order, up to a limit. */
  words: string[];
  /** Folded words of descriptions and alternative texts, up to a limit. */
  hiddenWords: string[];
  /** Sketches of shingles of words and of tags, and of class names; absent if there are too few. */
  text?: Sketch;
  structure?: Sketch;
  classes?: Sketch;
  /** Number of elements, and of those that load or run something. */
  counts: { elements: number; scripts: number; frames: number; pictures: number };
  /** Addresses without query that links point to, and how often. */
  links: Record<string, number>;
  /** Number of links that lead nowhere: to the page itself. */
  deadLinks: number;
  /** Addresses, without query, of what the page loads. */
  resources: { kind: "script" | "style" | "picture" | "frame" | "manifest"; url: string }[];
  forms: FormFingerprint[];
  pictures: PagePicture[];
  scriptHashes: string[];
  /** Addresses in scripts. */
  scriptAddresses: string[];
  /** Perceptual hash of the screenshot; absent if there is none. */
  screenshot?: string;
}

export interface FormFingerprint {
  action: string;
  /** Codes of what is requested; see `measures/requested-data.ts`. */
  asksFor: string[];
  /** Type and name of each field. */
  fields: string[];
}

/**
 * The smallest hashes of a set (Broder, "On the resemblance and containment of documents", 1997): exact for sets that are
 * not larger than the sketch.
 */
export interface Sketch {
  /** Number of different members. */
  size: number;
  /** The smallest hashes, ascending, as unsigned 32-bit integers. */
  minima: number[];
}

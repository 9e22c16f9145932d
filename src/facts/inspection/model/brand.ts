import type { PageFingerprint } from "./fingerprint.ts";

/** A protected brand with everything that pages are compared with. */
export interface Brand {
  protectedDomain: string;
  /** Label of the domain, brand keywords, and the names of the site that several of its originals state. */
  names: readonly string[];
  /** Names of the owner and of partners that are never threats, with everything below them. */
  allow: readonly string[];
  /** Pages that are likely to be imitated. */
  originals: readonly OriginalPage[];
  /** Logos that were added as files. */
  logos: readonly BrandLogo[];
}

/** Where the inspector gets the brands with which it compares pages. */
export interface BrandSource {
  /** Reads all brands, which takes megabytes with many domains. */
  read(): Promise<readonly Brand[]>;
  /** Calls `listener` after each change. */
  onChange(listener: () => void): void;
}

export interface OriginalPage {
  address: string;
  fingerprint: PageFingerprint;
}

export interface BrandLogo {
  name: string;
  /** A raster image: PNG, JPEG or WebP. */
  image: Uint8Array;
  /** Perceptual hash of the image; absent if it was not computed, and for a blank one. */
  hash?: string;
}

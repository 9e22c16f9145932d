import type { PageImitation } from "../../../platform/vocabulary/page-signals.ts";
import type { PageFingerprint } from "./fingerprint.ts";

export type { Signal } from "../../../platform/vocabulary/page-signals.ts";

/** A page that is compared with the brands. */
export interface SeenPage {
  fingerprint: PageFingerprint;
  /** Address as it was requested, with its fragment. */
  requested?: string;
  /** Certificate of the first TLS connection. `ageDays`: since its validity began. */
  certificate?: { ageDays: number; isFaulty: boolean };
  /** Logos that were located in the screenshot. */
  logos?: readonly LocatedLogo[];
}

/** A brand's logo in a screenshot: its place in pixels. */
export interface LocatedLogo {
  protectedDomain: string;
  name: string;
  /** Normalized cross-correlation, up to 1. */
  correlation: number;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** How closely a page imitates one protected brand. */
export interface Verdict extends PageImitation {
  /** Address of the original page that resembles it most; null if no original is known. */
  original: string | null;
}

/** More signals contribute next to nothing. */
const storedSignalsMax = 20;

/** Returns the part of a verdict that is stored with an inspection and with the facts about a threat. */
export function storedVerdict(verdict: Verdict): Verdict {
  return { ...verdict, signals: verdict.signals.slice(0, storedSignalsMax) };
}

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

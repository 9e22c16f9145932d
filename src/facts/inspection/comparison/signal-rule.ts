import type { PageView } from "../../lookups/page/page-view.ts";
import type { SeenPage, Signal } from "../model/verdict.ts";
import type { BrandReading } from "./brand-reading.ts";
import type { PageReading } from "./page-reading.ts";

/**
 * `identity`: the page presents itself as the brand. `copy`: it was made from an original. `request`: what it wants, and
 * where it sends that. `place`: where it is. `other`: it is something else.
 */
export type SignalGroup = "identity" | "copy" | "request" | "place" | "other";

/** Result of a comparison; strength from 0 to 1. */
export interface Measured {
  strength: number;
  params?: Signal["params"];
  /** Address of the original that it was compared with. */
  original?: string;
}

/** A comparison of a page with a brand: pure, and documented by its row. `vocabulary/page-signals.ts` has its text. */
export interface SignalRule {
  code: string;
  group: SignalGroup;
  /** Measure and formula, for the manual. */
  measures: string;
  /** Publication that the measure is from. */
  source?: string;
  /** Returns undefined, or a strength of 0, if there is nothing to say. */
  measure(page: PageReading, brand: BrandReading): Measured | undefined;
  /** A page for which it is at least 0.5, and one for which it is below 0.1. */
  keeps: Example;
  drops: Example;
}

/** Differences from an ordinary sign-in page, of the page and of the brand's original. */
export interface Example {
  page?: Partial<PageView>;
  original?: Partial<PageView>;
  seen?: Omit<SeenPage, "fingerprint">;
  screenshots?: { page?: string; original: string };
}

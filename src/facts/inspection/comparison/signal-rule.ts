import type { Signal } from "../model/verdict.ts";
import type { BrandReading } from "./brand-reading.ts";
import rows from "./data/signals.json" with { type: "json" };
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

export type SignalCode = keyof typeof rows;

/**
 * Describes each signal, in the order of the manual: its group, its measure and formula, and the publication that the
 * measure is from. `keeps` is a page for which the strength is at least 0.5, `drops` one for which it is below 0.1: they
 * differ from an ordinary sign-in page and from the original of the brand in what is stated, and a test compares them.
 * `vocabulary/page-signals.json` has the text of a signal.
 */
export const signalRows: Readonly<Record<SignalCode, { group: string; measures: string; source?: string }>> =
  rows;

/** Compares a page with a brand. Pure. Returns undefined, or a strength of 0, if there is nothing to say. */
export type Measure = (page: PageReading, brand: BrandReading) => Measured | undefined;
export type Measures = Partial<Record<SignalCode, Measure>>;

/** Returns the share of some among all, reduced if they are few: `some / (some + doubt)` of it. */
export function partOf(some: number, all: number, doubt: number): number {
  return all === 0 ? 0 : (some / all) * (some / (some + doubt));
}

import type { PageFingerprint } from "./fingerprint.ts";

/** A page that is compared with the brands. */
export interface SeenPage {
  fingerprint: PageFingerprint;
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

/** One observation about a page, and how much it says. */
export interface Signal {
  /** Stable code; the table of signals in `comparison/` describes it. */
  code: string;
  /** Result of the comparison, 0 to 1. */
  strength: number;
  /** Contribution to the score, in log-odds; negative: it speaks against an imitation. */
  points: number;
  /** Values for the text, such as the address of the original. Untrusted. */
  params: Record<string, string | number>;
}

/** How closely a page imitates one protected brand. */
export interface Verdict {
  protectedDomain: string;
  /** Estimated probability that the page imitates the brand, 0 to 1, at most four decimals. */
  score: number;
  imitates: boolean;
  /** Address of the original page that resembles it most; null if no original is known. */
  original: string | null;
  /** From the largest contribution to the smallest. */
  signals: Signal[];
}

import type { Instant } from "../../platform/lib/clock.ts";

/** Domains that a sandbox protects. */
export const worldDomains = ["example-bank.com", "example-shop.com", "samplix.org"] as const;

/** Default start of a sandbox's clock. */
export const defaultStart: Instant = Date.UTC(2026, 0, 15, 12);
export const defaultSeed = 1;
/** Several threats of the demonstration are a few hours old, and some of them are copies of a page. */
export const demonstrationSeed = 1_782;
/** Name of the feed in the samples. */
export const feedName = "newly-registered";

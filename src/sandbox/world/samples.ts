import type { Instant } from "../../platform/lib/clock.ts";
import { scopes as allScopes, type Plan, type Scope } from "../../platform/vocabulary/keys.ts";
import brands from "../pictures/brands.json" with { type: "json" };
import given from "./keys.json" with { type: "json" };
import samples from "./samples.json" with { type: "json" };

export type WorldDomain = keyof typeof brands;

/** Domains that a sandbox protects. */
export const worldDomains = Object.keys(brands) as WorldDomain[];

/** Default start of a sandbox's clock. */
export const defaultStart: Instant = Date.UTC(2026, 0, 15, 12);
export const defaultSeed = 1;
/** Several threats of the demonstration are a few hours old, and some of them are copies of a page. */
export const demonstrationSeed = 1_782;
/** Name of the feed in the samples. */
export const feedName = samples.feed;
/** Stands for the URL of the sandbox in the recipients of the demonstration. */
export const demonstrationUrl = "http://sandbox.invalid";
/** Names of the recipients of the history, so that the control plane tells them from those that a test adds. */
export const historyRecipients = samples.recipients;

/** An API key of every sandbox. It is public and worthless: no other installation accepts it. */
export interface SandboxKey {
  key: string;
  plan: Plan;
  scopes: readonly Scope[];
  /** Empty: all. */
  domains: readonly string[];
  /** Relative to the start of the sandbox's clock; negative: already expired. */
  expiresAfterMs?: number;
  revoked?: boolean;
  /** Permissions of the key, for the table in the documentation. */
  about: string;
}

export type SandboxKeyName = keyof typeof given;

/** Keys by their name in `keys`. They have the regular form, including the checksum. */
export const sandboxKeys = Object.fromEntries(
  Object.entries<Pick<SandboxKey, "key" | "about">>(given).map(([name, key]) => [
    name,
    { plan: "enterprise", scopes: allScopes, domains: [], ...key },
  ]),
) as object as Record<SandboxKeyName, SandboxKey>;

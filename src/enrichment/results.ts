import type { Registration } from "../threats/values.ts";

/** What DNS says of a name. */
export interface Existence {
  exists: "yes" | "no" | "unknown";
  /** Why it is unknown. */
  reason?: string;
  addresses: string[];
  mailServers: string[];
  nameServers: string[];
  canonicalName?: string;
  /** The parking service that its records show. */
  parked?: string;
  /** The sinkhole that its records show. */
  sinkholed?: string;
  /** Its parent answers for any name. */
  wildcard: boolean;
}

export type RegistrationResult =
  | { ok: true; registration: Registration; raw: string }
  | { ok: false; reason: string; retryAfterMs?: number; unregistered?: boolean };

export type PageResult = { ok: true; page: Page } | { ok: false; reason: string };

/** What a web page shows; texts are the page's own, so written by an attacker. */
export interface Page {
  finalUrl: string;
  redirects: string[];
  status: number;
  title: string;
  asksForPassword: boolean;
  asksForCard: boolean;
  namesBrand: boolean;
  redirectsToProtected: boolean;
  parked?: string;
  certificate?: { issuer: string; notBefore: string; notAfter: string };
  faviconHash?: string;
}

/** The look-ups that facts come from. None of them throws for what the other side does. */
export interface LookUps {
  existence(name: string): Promise<Existence>;
  registration(name: string): Promise<RegistrationResult>;
  page(wanted: { name: string; protectedDomain: string; brandWords: readonly string[] }): Promise<PageResult>;
}

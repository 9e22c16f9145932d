import type { LookUpExistence } from "./existence.ts";
import type { RegistrationLookup } from "./registration.ts";

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
  existence: LookUpExistence;
  registration: RegistrationLookup["lookUpRegistration"];
  page(wanted: { name: string; protectedDomain: string; brandWords: readonly string[] }): Promise<PageResult>;
}

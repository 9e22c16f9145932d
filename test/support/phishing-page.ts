import type { Facts } from "../../src/facts/enrichment/facts/facts.ts";

/** A page that asks for a password, as a lookup describes it. */
export const phishingPage: NonNullable<Facts["page"]> = {
  finalUrl: "https://acme-login.net/",
  redirects: [],
  status: 200,
  title: "Sign in",
  asksForPassword: true,
  asksForCard: false,
  namesBrand: true,
  redirectsToProtected: false,
  faviconHash: "-1",
  structureHash: "5e",
};

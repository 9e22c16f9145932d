import type { OriginalRole, VersionChange } from "../../../facts/inspection/model/original.ts";
import type { SuggestionSource } from "../../../facts/inspection/discovery/suggestions.ts";

/** Names of the roles of original pages, for people. */
export const roleNames: Record<OriginalRole, string> = {
  home: "Home page",
  sign_in: "Sign-in page",
  payment: "Payment page",
  other: "Other page",
};

/** Names of what changed since the version before. */
export const changeNames: Record<VersionChange, string> = {
  title: "title",
  text: "text",
  structure: "structure",
  forms: "forms",
  icons: "icons and logos",
  appearance: "appearance",
  address: "address",
};

/** Where a suggested value was found. */
export const sourceNames: Record<SuggestionSource, string> = {
  site_name: "name of the site",
  manifest: "application manifest",
  title: "title",
  certificate: "certificate",
  redirect: "redirect",
  link: "link",
};

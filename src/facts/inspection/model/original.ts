export const originalRoles = ["home", "sign_in", "payment", "other"] as const;
export type OriginalRole = (typeof originalRoles)[number];

/**
 * `accepted`: pages are compared with it. `waiting`: the page looks entirely different, which may be a maintenance page or
 * an attack, so it has to be seen again. `rejected`: a person decided that it is not the original.
 */
export const versionStates = ["accepted", "waiting", "rejected"] as const;
export type VersionState = (typeof versionStates)[number];

export const suggestionKinds = ["keyword", "allow", "page"] as const;
export type SuggestionKind = (typeof suggestionKinds)[number];

/** Why the last capture gave no version. */
export interface CaptureProblem {
  code: "unreachable" | "error_status" | "parked" | "leads_elsewhere" | "no_content" | "insecure";
  /** Reason, status, parking service or host name. Untrusted. */
  detail: string;
}

/** Names in a page and its certificate. Suggestions are derived from it. All of it is untrusted text with limits. */
export interface PageNames {
  siteName?: string;
  /** `name` and `short_name` of the application manifest. */
  manifest: string[];
  /** Names in its certificate. */
  certificate: string[];
  /** Hosts of the redirect chain, including the last. */
  redirects: string[];
  /** Pages to sign in or pay that are not on a name of the owner. */
  elsewhere: { url: string; role: OriginalRole; text: string }[];
}

export const noNames: PageNames = { manifest: [], certificate: [], redirects: [], elsewhere: [] };

/** Parts of a page that changed since the version before. */
export type VersionChange = "title" | "text" | "structure" | "forms" | "icons" | "appearance" | "address";

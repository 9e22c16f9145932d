/** Those who can act against a site. */
export const recipientKinds = [
  "registrar",
  "hoster",
  "registry",
  "certificate_authority",
  "browser_list",
] as const;
export type RecipientKind = (typeof recipientKinds)[number];

/** How a report reaches its recipient. */
export const reportMethods = ["email", "form", "manual"] as const;
export type ReportMethod = (typeof reportMethods)[number];

/** Those who can act against a site. */
export const recipientKinds = [
  "registrar",
  "hoster",
  "registry",
  "certificate_authority",
  "browser_list",
] as const;
export type RecipientKind = (typeof recipientKinds)[number];

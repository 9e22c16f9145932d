/** What a honeytoken is. */
export const tokenKinds = ["url", "pixel", "document"] as const;
export type TokenKind = (typeof tokenKinds)[number];

/** What documents a token of kind `document` can be written to. */
export const documentFormats = ["docx", "pdf"] as const;
export type DocumentFormat = (typeof documentFormats)[number];

/** Where a page with a beacon was shown. */
const placeClasses = [
  /** On a host of somebody else's: the alarm. */
  "foreign",
  /** On the protected host, one below it, or an allowed one. */
  "own",
  /** The style sheet's request did not say from where it came. */
  "unknown",
  /** The owner's page, through a service that translates it. */
  "translation_proxy",
  "web_archive",
  "search_cache",
  /** A saved copy, opened from a disk. */
  "local_file",
  /** `data:`, `about:`, `blob:` of nobody, a browser extension. */
  "no_host",
  /** `localhost`, a private address, a name that public DNS does not have. */
  "local_network",
] as const;
export type PlaceClass = (typeof placeClasses)[number];

/** Who came to a honeytoken. */
const visitorClasses = [
  "visit",
  /** A messenger or social network that draws a preview of a link somebody posted. */
  "link_preview",
  /** A mail filter that looks at links before a person does. */
  "mail_scanner",
] as const;
export type VisitorClass = (typeof visitorClasses)[number];

export type HitClass = PlaceClass | VisitorClass;
export const hitClasses = [...placeClasses, ...visitorClasses] as const;

/** Classes that send no event unless `traps.alarm_classes` names them. */
export const quietClasses = [
  "translation_proxy",
  "web_archive",
  "search_cache",
  "local_file",
  "no_host",
  "local_network",
  "link_preview",
  "mail_scanner",
] as const satisfies readonly HitClass[];

/** What a honeytoken of kind `url` answers. */
export type TokenAnswer =
  | { kind: "not_found" }
  /** A page of this title and text. */
  | { kind: "page"; title: string; text: string }
  | { kind: "redirect"; url: string };

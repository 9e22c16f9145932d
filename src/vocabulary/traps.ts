/** Forms of a honeytoken. */
export const tokenKinds = ["url", "pixel", "document"] as const;
export type TokenKind = (typeof tokenKinds)[number];

/** File formats of a honeytoken of the kind `document`. */
export const documentFormats = ["docx", "pdf"] as const;
export type DocumentFormat = (typeof documentFormats)[number];

/** Where a page that carries a beacon was shown. */
const placeClasses = [
  /** On a host that is neither protected nor allowed: raises an alert. */
  "foreign",
  /** On the protected host, on a host below it, or on an allowed one. */
  "own",
  /** The request for the style sheet did not say where it came from. */
  "unknown",
  /** The owner's page, shown by a translation service. */
  "translation_proxy",
  "web_archive",
  "search_cache",
  /** A saved copy, opened from a disk. */
  "local_file",
  /** A URL without a host: `data:`, `about:`, `blob:`, a browser extension. */
  "no_host",
  /** `localhost`, a private address, or a name that does not exist in public DNS. */
  "local_network",
] as const;
export type PlaceClass = (typeof placeClasses)[number];

/** Who opened a honeytoken. */
const visitorClasses = [
  "visit",
  /** A messenger or social network that renders a preview of a posted link. */
  "link_preview",
  /** A mail filter that opens links before the recipient does. */
  "mail_scanner",
] as const;
export type VisitorClass = (typeof visitorClasses)[number];

export const hitClasses = [...placeClasses, ...visitorClasses] as const;
export type HitClass = PlaceClass | VisitorClass;

/** Classes that emit no event unless `traps.alarm_classes` lists them. */
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

/**
 * A page as a visitor is shown it at an address, with limits on every part. All of it is untrusted text of the page's author.
 * Addresses are absolute.
 */
export interface PageView {
  /** Addresses of the redirect chain, at least one. The last one is where the visitor ends up. */
  addresses: string[];
  /** HTTP status of the last response. */
  status: number;
  /** Where the content is from. */
  from: ContentOrigin;
  /** Language that the page declares, such as `de`. */
  language?: string;
  /** Text of the first `<title>`. */
  title: string;
  /** Name of the site as the page states it: `og:site_name`, `application-name` or the application manifest. */
  siteName?: string;
  /** Address that the page names as its own: `<link rel=canonical>` or `og:url`. */
  canonical?: string;
  /** Texts of `h1` to `h3`. */
  headings: string[];
  /** Visible text, also where styles of its elements conceal it. */
  text: string;
  /** Length of the text without what styles conceal. */
  shownLength: number;
  /** Descriptions and alternative texts, which browsers do not show. */
  hiddenText: string;
  /** Elements in the order of the document, each as `tag.class.class`, classes in the order in which they are written. */
  elements: string[];
  /** Targets of `<a href>` and `<area href>`, repeated as often as they occur. A fragment leads to the page itself. */
  links: string[];
  /** Texts of the links, the first one of each target; absent if nothing was read that has any. */
  linkTexts?: { url: string; text: string }[];
  resources: PageResource[];
  /** Fields outside of every form are one more form, which is sent to the page. */
  forms: PageForm[];
  /** Labels of fields, and texts of buttons. */
  labels: string[];
  pictures: PagePicture[];
  /** Hashes of inline scripts of some length, without white space. */
  scriptHashes: string[];
  /** `name` and `short_name` of the application manifest; absent without one. */
  manifestNames?: string[];
  /** Names in the certificate of the last response; absent without TLS, and for a certificate that browsers reject. */
  certificateNames?: string[];
  /** Absolute addresses (HTTP or HTTPS) in inline scripts and in what they decode, such as those that data is sent to. */
  scriptAddresses?: string[];
  /** Address in a comment of the program that saved the page: `saved from url=(0014)https://…`, `Mirrored from …`. */
  savedFrom?: string;
  /** Why part of the content could not be seen. */
  unseen?: string;
  /** Nothing was seen but that the page leads to another one, which could not be opened. */
  isMereRedirect?: true;
  /** Whether the page is so long that its end was not read. */
  isCut?: true;
}

/** `markup`: as sent. `scripts`: also from strings that its scripts decode. `browser`: as a browser rendered it. */
export type ContentOrigin = "markup" | "scripts" | "browser";

export interface PageResource {
  kind: "script" | "style" | "picture" | "frame" | "manifest";
  url: string;
}

export interface PageForm {
  /** Where the form is sent: the address of the page if it names none. */
  action: string;
  method: "get" | "post";
  fields: FormField[];
}

/** A field of a form, or outside of every form. */
export interface FormField {
  type: string;
  autocomplete: string;
  /** Name, id, placeholder, label and title. */
  descriptions: string[];
}

/** A picture of a page that was read, with what identifies it. */
export interface PagePicture {
  role: "icon" | "logo" | "picture";
  /** Null for a picture that the page contains (`data:` URL, `<svg>`). */
  url: string | null;
  /** Start of the SHA-256 of its bytes; of an SVG without white space and comments: 16 hexadecimal digits. */
  sha256: string;
  /** Perceptual hash, 16 hexadecimal digits; absent for a format that is not decoded, and for a blank picture. */
  hash?: string;
}

import type { PageImitation } from "../../../platform/vocabulary/page-signals.ts";
import type { VisitorName } from "../visits/visitors.ts";
import type { ContentOrigin } from "./page-view.ts";

export type PageResult = { ok: true; page: Page } | { ok: false; reason: string };

/** Facts about a name's web page. Texts are safe to show; times are ISO 8601. */
export interface Page {
  /** First URL of the redirect chain; absent in facts that are older than this field. */
  firstUrl?: string;
  /** URL at which a visitor ends up. */
  finalUrl: string;
  /** URL of the page that shows the final one in a frame; absent: it is shown itself. */
  framedBy?: string;
  /** URLs of the redirect chain, without the first. */
  redirects: string[];
  /** HTTP status of the last response. */
  status: number;
  title: string;
  asksForPassword: boolean;
  asksForCard: boolean;
  namesBrand: boolean;
  /** Why the final page could not be seen; facts about its content are then unknown. */
  unseen?: string;
  /** The name redirects to the protected domain, whose page is then not fetched. */
  redirectsToProtected: boolean;
  /** Parking service, "for sale", "parked", "expired" or "suspended". */
  parked?: string;
  /** Certificate of the first TLS connection. */
  certificate?: PageCertificate;
  /** In the form of Shodan's `http.favicon.hash`. */
  faviconHash?: string;
  /** Identifies the forms, fields, pictures and scripts of the page in their order; absent if it has few of them. */
  structureHash?: string;
  /** Result of comparing the page with its protected brand; absent: not compared. */
  imitation?: PageImitation;
  /** Where the content is from; absent: as the server sent it. */
  from?: Exclude<ContentOrigin, "markup">;
  /** Visitor to whom the content was shown, if it was not shown to the first one. */
  shownTo?: Exclude<VisitorName, "desktop">;
}

export interface PageCertificate {
  issuer: string;
  notBefore: string;
  notAfter: string;
  /** Why a browser would warn about it. */
  fault?: string;
  /** Serial number of a trusted certificate, which an authority chose; fingerprint of any other. */
  identity?: string;
  /** Identifies the set of its names. */
  namesHash?: string;
}

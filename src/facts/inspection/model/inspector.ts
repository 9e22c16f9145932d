import type { Page } from "../../lookups/page/page-lookup.ts";
import type { PageView } from "../../lookups/page/page-view.ts";
import type { PageFingerprint } from "./fingerprint.ts";
import type { Verdict } from "./verdict.ts";

/** Fetches, reads and compares pages, where that delays nothing else. */
export interface Inspector {
  /**
   * Opens an address as a visitor would and compares what is shown there with the brands. Never throws for what a page
   * or a server does.
   */
  inspect(target: InspectionTarget, signal: AbortSignal): Promise<InspectionResult>;
  close(): Promise<void>;
}

export interface InspectionTarget {
  /** URL (HTTP or HTTPS), or a host name, whose home page is opened by HTTPS first. */
  address: string;
  /** Protected domains with which the page is compared; absent: all. */
  protectedDomains?: readonly string[];
  /** Whether a browser may be used if the markup of the page does not show enough. */
  browser: "never" | "if_needed" | "always";
  /** Further names: a protected domain that is disabled is not among the brands. */
  brandNames?: readonly string[];
  /** Whether the page is the owner's. Its screenshot is returned regardless of `screenshots.keep`. Default: no. */
  isOwn?: boolean;
  /** Whether a person waits for the result, so that it is inspected before others. Default: no. */
  isUrgent?: boolean;
  /** Called before it waits for the browser, which may take minutes. Others can use its slot for that time. */
  onBrowser?: () => void;
  /** Whether the result includes the page as it was read, which is large. Default: no. */
  withView?: boolean;
}

export type InspectionResult =
  | {
      ok: true;
      page: Page;
      fingerprint: PageFingerprint;
      /** One for each brand for which there is any signal, highest score first. */
      verdicts: Verdict[];
      /** Screenshot (WebP), if a browser was used, or what the setting `screenshots.keep` leaves of it. */
      screenshot?: Uint8Array;
      /** Why there is no screenshot, if one was to be taken. */
      noScreenshot?: string;
      /** URL where the browser ended up, if one was used. */
      shownAt?: string;
      /** As in `PageView`. */
      isMereRedirect?: true;
      /** Only if it was requested. */
      view?: PageView;
    }
  | { ok: false; reason: string };

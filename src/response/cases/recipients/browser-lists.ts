/** A list from which browsers and mail programs learn which pages to warn of. */
export interface BrowserList {
  name: string;
  email?: string;
  formUrl?: string;
  /** Who is warned. */
  reach: string;
}

export const browserLists: readonly BrowserList[] = [
  {
    name: "Google Safe Browsing",
    formUrl: "https://safebrowsing.google.com/safebrowsing/report_phish/",
    reach: "Chrome, Firefox and Safari",
  },
  {
    name: "Microsoft SmartScreen",
    formUrl: "https://www.microsoft.com/en-us/wdsi/support/report-unsafe-site",
    reach: "Edge and Windows",
  },
  { name: "Netcraft", formUrl: "https://report.netcraft.com/", reach: "browsers and mail filters" },
  {
    name: "Anti-Phishing Working Group (APWG)",
    email: "reportphishing@apwg.org",
    reach: "the companies that share its data",
  },
];

/** Parts of the screenshot of a suspicious page that may be kept, from all to nothing. */
export const screenshotKinds = ["full", "blurred", "fingerprints"] as const;
export type ScreenshotKind = (typeof screenshotKinds)[number];

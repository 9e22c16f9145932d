/** Who wants an inspection: a person, a program that submits candidates, or a feed. The first ones are served first. */
export const inspectionPriorities = ["person", "submission", "feed"] as const;
export type InspectionPriority = (typeof inspectionPriorities)[number];

/** `failed`: the page could not be fetched. `skipped`: nothing was fetched, and never will be. */
export const inspectionStates = ["queued", "running", "done", "failed", "skipped"] as const;
export type InspectionState = (typeof inspectionStates)[number];

/** Parts of the screenshot of a suspicious page that may be kept, from all to nothing. */
export const screenshotKinds = ["full", "blurred", "fingerprints"] as const;
export type ScreenshotKind = (typeof screenshotKinds)[number];

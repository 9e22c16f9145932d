import type { Database } from "../../platform/database/database.ts";
import type { ScreenshotFiles } from "../../facts/lookups/page/screenshot-files.ts";

/** The sample screenshots, loaded at their first use to keep them out of the startup time. */
export function createLazyScreenshots(database: () => Pick<Database, "query">): ScreenshotFiles {
  let opening: Promise<ScreenshotFiles> | undefined;
  const open = () =>
    (opening ??= import("./screenshot-files.ts").then((loaded) => loaded.createSampleScreenshots(database)));
  return {
    write: async () => {},
    remove: async () => {},
    read: async (id) => (await open()).read(id),
    writtenAt: async () => undefined,
  };
}

import type { App } from "../../app/app.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Reach } from "../../facts/lookups/open-lookups.ts";
import type { Clock, Instant } from "../../platform/lib/clock.ts";
import type { Log } from "../../platform/lib/log.ts";
import type { ScreenshotFiles } from "../../facts/lookups/page/screenshot-files.ts";

/** Writes the initial data. Loaded only here, because most sandboxes start with a prebuilt database. */
export async function seedSamples(
  database: Database,
  {
    isDemonstration,
    publicUrl,
    ...options
  }: { empty: boolean; isDemonstration: boolean; publicUrl: string; seed: number; start: Instant },
): Promise<void> {
  const { seedDatabase } = await import("../history/seed.ts");
  seedDatabase(database, { ...options, isDemonstration });
  if (!isDemonstration) return;
  const { connectRecipients } = await import("../history/recipients.ts");
  connectRecipients(
    database,
    (name) => `${publicUrl}/sandbox/inbox/${name.toLowerCase().replaceAll(" ", "-")}`,
  );
}

/** Returns lookups that find what is on record, for a demonstration, and the sample screenshots. */
export async function reachOf(
  database: () => Database,
  { isDemonstration, now }: { isDemonstration: boolean; now: () => Instant },
): Promise<Reach> {
  const reach: Reach = {
    rules: { allowPrivateNetworks: false },
    screenshotFiles: createLazyScreenshots(database),
  };
  if (!isDemonstration) return reach;
  const { createSampleLookups } = await import("../history/demonstration.ts");
  return {
    ...reach,
    lookups: (lookUpExistence) => createSampleLookups({ database, lookUpExistence, now }),
  };
}

/** Starts what happens while somebody looks at a demonstration. */
export async function startArrivals(app: App, { clock, log }: { clock: Clock; log: Log }): Promise<void> {
  const { scheduleArrivals } = await import("../history/demonstration.ts");
  scheduleArrivals({ candidates: app.candidates, clock, log });
}

/** The sample screenshots, loaded at their first use to keep them out of the startup time. */
function createLazyScreenshots(database: () => Pick<Database, "query">): ScreenshotFiles {
  let opening: Promise<ScreenshotFiles> | undefined;
  const open = () =>
    (opening ??= import("../pictures/screenshot-files.ts").then((loaded) =>
      loaded.createSampleScreenshots(database),
    ));
  return {
    write: async () => {},
    remove: async () => {},
    read: async (id) => (await open()).read(id),
    writtenAt: async () => undefined,
  };
}

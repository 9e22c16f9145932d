import type { App } from "../../app/app.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Reach } from "../../facts/lookups/open-lookups.ts";
import type { Clock, Instant } from "../../platform/lib/clock.ts";
import type { Log } from "../../platform/lib/log.ts";
import { createLazyScreenshots } from "../pictures/lazy-screenshots.ts";

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
  const { createSampleLookups } = await import("../history/sample-lookups.ts");
  return {
    ...reach,
    lookups: (lookUpExistence) => createSampleLookups({ database, lookUpExistence, now }),
  };
}

/** Starts what happens while somebody looks at a demonstration. */
export async function startArrivals(app: App, { clock, log }: { clock: Clock; log: Log }): Promise<void> {
  const { scheduleArrivals } = await import("../history/arrivals.ts");
  scheduleArrivals({ candidates: app.candidates, clock, log });
}

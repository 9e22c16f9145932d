/** Writes the databases that a sandbox starts with into a folder. `scripts/build` embeds them in the executable. */
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openDatabase, type Database } from "../../src/platform/database/database.ts";
import { systemClock } from "../../src/platform/lib/clock.ts";
import { createLog } from "../../src/platform/lib/log.ts";
import { images } from "../../src/sandbox/images.ts";
import { openInstance } from "../../src/sandbox/instance/instance.ts";
import { defaultConfig, inSandbox } from "../../src/sandbox/settings.ts";
import { defaultStart as start } from "../../src/sandbox/world/samples.ts";
import { addPublicKeys, addSamples } from "./history/seed.ts";

/** Returns the database of a sandbox after its start, with the results of the work that a start begins. */
async function started(image?: Uint8Array): Promise<Uint8Array> {
  const instance = await openInstance({
    config: inSandbox(defaultConfig(), 0),
    image,
    scanSchedule: null,
    log: createLog({
      level: "warn",
      format: "json",
      clock: systemClock,
      write: (line) => process.stderr.write(line),
    }),
    monotonicMs: () => performance.now(),
    realNow: systemClock.now,
    // No image has this seed: a sandbox with the same one would create the identifiers of the protected domains again.
    seed: 0,
    start,
  });
  await instance.quiesce();
  const saved = instance.save();
  await instance.end();
  return saved.image;
}

async function make(base: Uint8Array, seeds: (database: Database) => void): Promise<Uint8Array> {
  const database = openDatabase(":memory:", { image: base });
  database.transaction(() => seeds(database));
  const image = database.sqlite.serialize();
  database.close();
  return started(image);
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("usage: make-images.ts FOLDER");
mkdirSync(folder, { recursive: true });
const base = await started();
const made: Record<keyof typeof images, Uint8Array> = {
  samples: await make(base, (database) => {
    addPublicKeys(database, images.samples.seed, start);
    addSamples(database, { seed: images.samples.seed, start });
  }),
  empty: await make(base, (database) => addPublicKeys(database, images.empty.seed, start)),
  demonstration: await make(base, (database) =>
    addSamples(database, { seed: images.demonstration.seed, start, isDemonstration: true }),
  ),
};
for (const [name, image] of Object.entries(made)) {
  const path = join(folder, images[name as keyof typeof images].file);
  const staging = `${path}.${process.pid}`;
  writeFileSync(staging, path.endsWith(".zst") ? Bun.zstdCompressSync(image, { level: 19 }) : image);
  // Atomically: several sandboxes may build the images at the same time.
  renameSync(staging, path);
}

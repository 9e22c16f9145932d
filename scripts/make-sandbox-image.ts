/** Writes the initial database of a sandbox to a file that `scripts/build` embeds in the executable. */
import { writeFileSync } from "node:fs";
import { systemClock } from "../src/platform/lib/clock.ts";
import { createLog } from "../src/platform/lib/log.ts";
import { openInstance } from "../src/sandbox/instance/instance.ts";
import { defaultConfig, inSandbox } from "../src/sandbox/settings.ts";
import { defaultSeed, defaultStart } from "../src/sandbox/world/samples.ts";

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error("usage: make-sandbox-image.ts FILE");
const instance = await openInstance({
  config: inSandbox(defaultConfig(), 0),
  scanSchedule: null,
  log: createLog({
    level: "warn",
    format: "json",
    clock: systemClock,
    write: (line) => process.stderr.write(line),
  }),
  monotonicMs: () => performance.now(),
  realNow: systemClock.now,
  seed: defaultSeed,
  start: defaultStart,
  empty: false,
});
// With the results of the work that a start begins, which no sandbox has to repeat.
await instance.quiesce();
const { image } = instance.save();
await instance.end();
writeFileSync(path, image);

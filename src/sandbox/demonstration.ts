import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toIsoTime, type Instant } from "../platform/lib/clock.ts";
import type { Log } from "../platform/lib/log.ts";
import samples from "./instance/demonstration.json" with { type: "json" };
import { startSandbox, type Sandbox } from "./sandbox.ts";
import { demonstrationConfig } from "./settings.ts";
import { demonstrationSeed } from "./world/samples.ts";

/** Starts a sandbox for people: the clock runs, and the samples end at `start`. Its feed is a temporary folder. */
export async function startDemonstration({
  start,
  ...options
}: {
  log: Log;
  monotonicMs: () => number;
  realNow: () => Instant;
  /** Default: a known one. */
  password?: string;
  pid: number;
  /** 0: the system chooses. */
  port: number;
  start: Instant;
}): Promise<Sandbox> {
  const { password, ...rest } = options;
  const folder = mkdtempSync(join(tmpdir(), `phishwatch-demo-${rest.pid}-`));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  try {
    writeFileSync(join(folder, `${toIsoTime(start).slice(0, 10)}.txt`), `${harmlessNames().join("\n")}\n`);
    const sandbox = await startSandbox({
      ...rest,
      config: demonstrationConfig({ folder, password }),
      seed: demonstrationSeed,
      start,
      isDemonstration: true,
    });
    return {
      ready: sandbox.ready,
      stop() {
        sandbox.stop();
        removeFolder();
      },
    };
  } catch (error) {
    removeFolder();
    throw error;
  }
}

/** Returns names for the feed that resemble no protected domain. */
function harmlessNames(): string[] {
  const { places, trades, suffixes } = samples.feedNames;
  return places.flatMap((place) =>
    trades.flatMap((trade) => suffixes.map((suffix) => `${place}-${trade}.${suffix}`)),
  );
}

import { expect, test } from "bun:test";
import { existsSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../../src/platform/lib/clock.ts";
import { createLog } from "../../../src/platform/lib/log.ts";
import { createProfileFolders } from "../../../src/facts/lookups/browser/browser-memory.ts";
import { temporaryFolder } from "../../support/appliance.ts";

test("profiles that killed processes left are deleted with the next one, and nothing else is", async () => {
  const { path: folder, dispose } = temporaryFolder();
  const log = createLog({ level: "error", format: "json", clock: systemClock, write: () => {} });
  const profiles = createProfileFolders({ clock: systemClock, folder, log });
  const hourAgo = new Date(Date.now() - 3_600_000);
  const make = (name: string, at = new Date()) => {
    const path = join(folder, name);
    mkdirSync(join(path, "Default"), { recursive: true });
    writeFileSync(join(path, "Default", "History"), "x");
    utimesSync(path, at, at);
    return path;
  };
  try {
    const left = make("phishwatch-chromium-left01", hourAgo);
    const inUse = make("phishwatch-chromium-used01");
    const others = make("other-chromium-left01", hourAgo);
    const link = join(folder, "phishwatch-chromium-link01");
    symlinkSync(others, link);
    const created = await profiles.create();
    expect([left, inUse, others, link, created].map((path) => existsSync(path))).toEqual([
      false,
      true,
      true,
      true,
      true,
    ]);
    await profiles.remove(created);
    expect(existsSync(created)).toBe(false);
  } finally {
    dispose();
  }
});

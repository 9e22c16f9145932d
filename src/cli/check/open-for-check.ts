import { existsSync } from "node:fs";
import type { App } from "../../app.ts";
import type { Config } from "../../config/config.ts";
import { explain } from "../../database/files/explain.ts";
import { requireOneName } from "../../database/files/open-file.ts";
import { requireOwnLog } from "../../database/files/state-file.ts";
import { messageOf, StartError } from "../../lib/errors.ts";
import { open } from "../appliance/with-appliance.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { CheckResult } from "./check-result.ts";
import { copyToMemory } from "./database-copy.ts";
import { checkStorage } from "./storage.ts";

/**
 * Opens an appliance for checks on a copy of the database in memory: nothing that a check does, such as migrating or
 * comparing with the configuration file, changes the database or its folder. Returns undefined if there can be none.
 */
export function openForCheck(
  config: Config,
  terminal: Terminal,
  report: (result: CheckResult) => void,
): App | undefined {
  const { path } = config.storage;
  const what = "database";
  const inMemory: Config = { ...config, storage: { path: ":memory:" } };
  try {
    if (path === ":memory:") {
      report({ what, state: "warning", detail: "in memory: nothing is stored" });
      return open(inMemory, terminal, { level: "warn" });
    }
    if (!existsSync(path)) {
      for (const result of checkStorage(path)) report(result);
      report({ what, state: "warning", detail: `${path} does not exist yet; 'phishwatch serve' creates it` });
      return open(inMemory, terminal, { level: "warn" });
    }
    for (const result of checkStorage(path)) report(result);
    requireOneName(path);
    requireOwnLog(path);
    const { image, quickCheck } = copyToMemory(path);
    const detail = `${path}: ${quickCheck}`;
    report({ what, state: quickCheck === "ok" ? "ok" : "error", detail });
    return open(inMemory, terminal, { level: "warn", image });
  } catch (error) {
    const reason = error instanceof StartError ? messageOf(error) : `${path}: ${explain(error)}`;
    report({ what, state: "error", detail: reason });
    return undefined;
  }
}

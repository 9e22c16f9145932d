import { existsSync } from "node:fs";
import type { App } from "../../app/app.ts";
import type { Config } from "../../platform/config/config.ts";
import { explain } from "../../platform/database/files/errors.ts";
import { requireOneName } from "../../platform/database/files/open-file.ts";
import { requireOwnLog } from "../../platform/database/files/state-file.ts";
import { messageOf, StartError } from "../../platform/lib/errors.ts";
import { open } from "../appliance/with-appliance.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { copyToMemory, type DatabaseCopy } from "./database-copy.ts";
import { resultsOf, type CheckResult } from "./result.ts";
import { checkStorage } from "./storage.ts";

/**
 * Opens an appliance for checks on a copy of the database in memory: nothing that a check does, such as migrating or
 * comparing with the configuration file, changes the database or its folder. Returns undefined if there can be none.
 */
export async function openForCheck(
  config: Config,
  terminal: Terminal,
  report: (result: CheckResult) => void,
): Promise<{ app: App; events: DatabaseCopy["events"] } | undefined> {
  const { path } = config.storage;
  const results = resultsOf("database", "database", "storage.path");
  const inMemory: Config = { ...config, storage: { path: ":memory:" } };
  try {
    if (path === ":memory:") {
      report(results.warning("in memory: nothing is stored", "set it to a file"));
      return { app: open(inMemory, terminal, { level: "warn" }), events: null };
    }
    for (const result of checkStorage(path)) report(result);
    if (!existsSync(path)) {
      report(
        results.warning(
          `${path} does not exist yet; 'phishwatch serve' creates it`,
          "start the server, or, if a database exists elsewhere, set it to that file",
        ),
      );
      return { app: open(inMemory, terminal, { level: "warn" }), events: null };
    }
    requireOneName(path);
    requireOwnLog(path);
    const { image, damage, events } = await copyToMemory(path);
    const detail = `${path}: ${damage}`;
    const change = "stop the server, and run 'phishwatch database repair' before anything else is recorded";
    report(damage === "ok" ? results.ok(detail) : resultsOf("database", "database").error(detail, change));
    return { app: open(inMemory, terminal, { level: "warn", image }), events };
  } catch (error) {
    const reason = error instanceof StartError ? messageOf(error) : `${path}: ${explain(error)}`;
    const change = "follow the message; a damaged database is replaced with 'phishwatch restore'";
    report(results.error(reason, change));
    return undefined;
  }
}

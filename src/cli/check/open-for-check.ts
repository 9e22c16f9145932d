import { existsSync } from "node:fs";
import type { App } from "../../app/app.ts";
import type { Config } from "../../platform/config/config.ts";
import { explain } from "../../platform/database/files/explain.ts";
import { requireOneName } from "../../platform/database/files/open-file.ts";
import { requireOwnLog } from "../../platform/database/files/state-file.ts";
import { messageOf, StartError } from "../../platform/lib/errors.ts";
import { open } from "../appliance/with-appliance.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { resultOf, type CheckResult } from "../check-results/check-result.ts";
import { copyToMemory, type DatabaseCopy } from "./database-copy.ts";
import { checkStorage } from "../checks/storage.ts";

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
  const base = { check: "database", what: "database" } as const;
  const inMemory: Config = { ...config, storage: { path: ":memory:" } };
  try {
    if (path === ":memory:") {
      report({
        ...base,
        state: "warning",
        detail: "in memory: nothing is stored",
        setting: "storage.path",
        change: "set it to a file",
      });
      return { app: open(inMemory, terminal, { level: "warn" }), events: null };
    }
    if (!existsSync(path)) {
      for (const result of checkStorage(path)) report(result);
      report({
        ...base,
        state: "warning",
        detail: `${path} does not exist yet; 'phishwatch serve' creates it`,
        setting: "storage.path",
        change: "start the server, or, if a database exists elsewhere, set it to that file",
      });
      return { app: open(inMemory, terminal, { level: "warn" }), events: null };
    }
    for (const result of checkStorage(path)) report(result);
    requireOneName(path);
    requireOwnLog(path);
    const { image, damage, events } = await copyToMemory(path);
    const detail = `${path}: ${damage}`;
    const change = "stop the server, and run 'phishwatch database repair' before anything else is recorded";
    report(resultOf(base, detail, damage === "ok" ? undefined : { state: "error", detail, change }));
    return { app: open(inMemory, terminal, { level: "warn", image }), events };
  } catch (error) {
    const reason = error instanceof StartError ? messageOf(error) : `${path}: ${explain(error)}`;
    const change = "follow the message; a damaged database is replaced with 'phishwatch restore'";
    report({ ...base, state: "error", detail: reason, setting: "storage.path", change });
    return undefined;
  }
}

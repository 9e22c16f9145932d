import type { Config } from "../../config/config.ts";
import { findExposures } from "../../config/safety/exposure.ts";
import type { Log } from "../../lib/log.ts";
import type { CheckResult } from "./check-result.ts";
import { openFiles } from "./open-files.ts";
import { dataFolder, exposedSecrets } from "./file-access.ts";

/**
 * Returns what is wrong with the setup around the configuration: what it exposes, who may use its files, and how many
 * files it may open.
 * @param uid of the current user; undefined where the system has no users
 */
export function checkSetup(config: Config, uid: number | undefined): CheckResult[] {
  return [...exposures(config), ...exposedSecrets(config), ...dataFolder(config, uid), openFiles()];
}

/** Logs what the setup exposes or lacks, once. The owner of files matters to checks only: a server that starts can use them. */
export function logExposures(config: Config, log: Log): void {
  const all = [...exposures(config), ...exposedSecrets(config), openFiles()];
  for (const { what, detail } of all.filter(({ state }) => state !== "ok"))
    log.event("setup.needs_attention", { what, detail });
}

function exposures(config: Config): CheckResult[] {
  return findExposures(config).map(({ setting, advice }) => ({
    what: setting,
    state: "warning",
    detail: advice,
  }));
}

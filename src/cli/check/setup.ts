import type { Config } from "../../config/config.ts";
import { findExposures, type Exposure } from "../../config/safety/exposure.ts";
import type { Instant } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import type { CheckId } from "./catalog.ts";
import type { CheckResult } from "./check-result.ts";
import { embeddedLists } from "./lists.ts";
import { openFiles } from "./open-files.ts";
import { dataFolder, exposedFiles, exposedSecrets, rootUser } from "./file-access.ts";

/**
 * Returns what is wrong with the setup around the configuration: what it exposes, and who may use its files.
 * @param uid of the current user; undefined where the system has no users
 */
export function checkSetup(config: Config, uid: number | undefined): CheckResult[] {
  return [
    ...rootUser(config, uid),
    ...dataFolder(config, uid),
    ...exposedSecrets(config),
    ...exposedFiles(config),
    ...exposures(config),
  ];
}

/** Logs what the setup exposes or lacks, once. The owner of files matters to checks only: a server that starts can use them. */
export function logExposures(config: Config, log: Log, now: Instant): void {
  const lists = embeddedLists(config, now).filter(({ state }) => state === "error");
  const all = [
    ...exposures(config),
    ...exposedSecrets(config),
    ...exposedFiles(config),
    openFiles(config),
    ...lists,
  ];
  for (const result of all)
    if ("change" in result)
      log.event("setup.needs_attention", { what: result.what, detail: `${result.detail}; ${result.change}` });
}

const checkOf: Record<Exposure["setting"], CheckId> = {
  "server.trusted_proxies": "trusted-proxies",
  "server.listen": "listen",
  "server.metrics_token": "metrics-token",
  "smtp.tls": "mail-encryption",
};

function exposures(config: Config): CheckResult[] {
  return findExposures(config).map(({ setting, problem, change }) => ({
    check: checkOf[setting],
    what: setting,
    state: "warning",
    detail: problem,
    setting,
    change,
  }));
}

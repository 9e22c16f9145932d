import type { Config } from "../../platform/config/config.ts";
import { formatHostPort } from "../../platform/config/fields/texts.ts";
import { findExposures, type Exposure } from "../../platform/config/safety.ts";
import { isServed } from "../../platform/database/lock.ts";
import type { Instant } from "../../platform/lib/clock.ts";
import type { Log } from "../../platform/lib/log.ts";
import type { CheckId } from "./catalog.ts";
import { embeddedLists } from "./lists.ts";
import { openFiles } from "./machine.ts";
import { changeableFiles, dataFolder, exposedFiles, exposedSecrets, rootUser } from "./file-access.ts";
import { resultsOf, type CheckResult } from "./result.ts";
import { codeOf } from "../../platform/lib/errors.ts";

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
    ...changeableFiles(config),
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
    ...changeableFiles(config),
    openFiles(config),
    ...lists,
  ];
  for (const result of all)
    if ("change" in result)
      log.event("setup.needs_attention", { what: result.what, detail: `${result.detail}; ${result.change}` });
}

const checkOf: Record<Exposure["setting"], CheckId> = {
  "console.trusted_user_header": "trusted-user-header",
  "server.trusted_proxies": "trusted-proxies",
  "server.listen": "listen",
  "server.metrics_token": "metrics-token",
  "smtp.tls": "mail-encryption",
};

function exposures(config: Config): CheckResult[] {
  return findExposures(config).map(({ setting, problem, change }) =>
    resultsOf(checkOf[setting], setting, setting).warning(problem, change),
  );
}

/** Checks whether the server could listen, by listening for a moment, unless it runs already. */
export function ports({
  server,
  storage,
  traps,
}: Pick<Config, "server" | "storage" | "traps">): CheckResult[] {
  if (isServed(storage.path) === true) return [];
  const addresses = [
    { setting: "server.listen", host: server.host, port: server.port },
    ...(traps.listen === null ? [] : [{ setting: "traps.listen", ...traps.listen }]),
  ];
  return addresses.flatMap(({ setting, host, port }) => {
    const code = port === 0 ? undefined : listenError(host, port);
    if (code === undefined) return [];
    // The server may have a right that this user does not have.
    const problem = resultsOf("port", setting, setting)[code === "EACCES" ? "warning" : "error"];
    const detail = `this user cannot listen on ${formatHostPort({ host, port })} (${code})`;
    return [problem(detail, changes[code] ?? "set it to an address of this machine")];
  });
}

const changes: Record<string, string> = {
  EADDRINUSE: "set it to a free port, or end the program that uses this one",
  EACCES:
    "set it to a port above 1023, or give the server the right to use lower ones (CAP_NET_BIND_SERVICE)",
};

function listenError(host: string, port: number): string | undefined {
  try {
    Bun.listen({ hostname: host, port, socket: { data() {} } }).stop(true);
    return undefined;
  } catch (error) {
    return codeOf(error) ?? "unknown error";
  }
}

import { fillIn } from "../lib/wording.ts";
import unit from "./phishwatch.service" with { type: "text" };

// The systemd unit of the service.

/** Name of the unit, the user, the group and the folders of the service. */
export const serviceName = "phishwatch";
export const stateFolder = `/var/lib/${serviceName}`;
export const unitFile = `/etc/systemd/system/${serviceName}.service`;
/** Starts the service with the system. */
export const unitLink = `/etc/systemd/system/multi-user.target.wants/${serviceName}.service`;
/** Where `service install` copies the executable to. */
export const installedExecutable = "/usr/local/bin/phishwatch";
export const configFolder = `/etc/${serviceName}`;
export const configFile = `${configFolder}/phishwatch.toml`;
/** Secrets for `LoadCredential`, readable by root only. */
export const credentialsFolder = `${configFolder}/credentials`;

/**
 * Returns whether a path can be written into the unit as it is: systemd splits the line at blanks, and expands % and $.
 */
export function isUnitPath(path: string): boolean {
  return /^\/[\w.+/-]+$/.test(path);
}

/**
 * Renders the unit from its template, which also names the paths above. Its reasons that are of no use to an operator:
 *
 * - `TimeoutStopSec`: a shutdown of `serve` takes at most 10 s; then the database is closed.
 * - `WatchdogSec`: the longest known task that stops the event loop takes less than 2 s.
 * - `ProtectSystem` is not "strict": then backups to another folder would fail although the user may write to it. The rating
 *   is the same.
 * - `chroot` is the system call that Chromium's sandbox makes in a user namespace of its own, and is not in `@system-service`.
 *
 * @param executable absolute path of the executable, see `isUnitPath`
 */
export function renderUnit({ executable }: { executable: string }): string {
  return fillIn(unit, { executable });
}

/** The systemd unit of the service. */

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

/** A directive of a unit, or an empty line (null), with the reason for it. */
type Line = [name: string, value: string, reason?: string] | null;

/** Milliseconds of `serve`'s shutdown are 10,000; then the database is closed. */
const stopTimeoutSeconds = 30;
/** The longest known task that stops the event loop takes less than two seconds. */
const watchdogSeconds = 60;
/** A migration of a large database may take minutes. */
const startTimeoutMinutes = 30;
const restartSeconds = 5;

/** System calls that Chromium's sandbox makes in a user namespace of its own, in addition to those of services. */
const sandboxCalls = "chroot";

function unitLines(executable: string): Line[] {
  return [
    ["Type", "notify", "phishwatch reports when it is ready, reloads and stops."],
    ["NotifyAccess", "main"],
    ["ExecStart", `${executable} serve --config ${configFile}`],
    ["ExecReload", `${executable} reload --config ${configFile}`],
    ["User", serviceName],
    [
      "StateDirectory",
      serviceName,
      `The database, its backups, screenshots and the archive: ${stateFolder}.`,
    ],
    ["StateDirectoryMode", "0700"],
    ["UMask", "0077"],
    null,
    ["Restart", "on-failure"],
    ["RestartSec", `${restartSeconds}s`],
    ["RestartPreventExitStatus", "2", "An invalid configuration stays invalid until somebody corrects it."],
    [
      "TimeoutStartSec",
      `${startTimeoutMinutes}min`,
      "The first start after an upgrade migrates the database.",
    ],
    ["TimeoutStopSec", `${stopTimeoutSeconds}s`],
    [
      "WatchdogSec",
      `${watchdogSeconds}s`,
      "Restarts phishwatch if its event loop or database queue stands still.",
    ],
    ["WatchdogSignal", "SIGKILL"],
    ["LimitNOFILE", "65536"],
    ["LimitCORE", "0", "A memory dump would contain secrets."],
    null,
    [
      "CapabilityBoundingSet",
      "",
      "Hardening. MemoryDenyWriteExecute is missing on purpose: the compiler of the runtime needs such memory.",
    ],
    ["AmbientCapabilities", ""],
    ["NoNewPrivileges", "yes"],
    // Not "strict": then backups to another folder would fail although the user may write to it. The rating is the same.
    ["ProtectSystem", "full"],
    ["ProtectHome", "yes"],
    ["PrivateTmp", "yes"],
    ["PrivateDevices", "yes"],
    ["PrivateIPC", "yes"],
    ["DevicePolicy", "closed"],
    ["ProtectProc", "invisible"],
    ["ProtectClock", "yes"],
    ["ProtectHostname", "yes"],
    ["ProtectKernelLogs", "yes"],
    ["ProtectKernelModules", "yes"],
    ["ProtectKernelTunables", "yes"],
    ["ProtectControlGroups", "yes"],
    ["LockPersonality", "yes"],
    ["RemoveIPC", "yes"],
    ["RestrictRealtime", "yes"],
    ["RestrictSUIDSGID", "yes"],
    ["RestrictAddressFamilies", "AF_UNIX AF_INET AF_INET6 AF_NETLINK"],
    [
      "RestrictNamespaces",
      "user pid net",
      "Chromium's sandbox, for screenshots, needs these namespaces and this system call.",
    ],
    ["SystemCallArchitectures", "native"],
    ["SystemCallFilter", `@system-service ${sandboxCalls}`],
    ["SystemCallFilter", "~@resources @clock @debug"],
    ["SystemCallErrorNumber", "EPERM"],
  ];
}

/**
 * Renders the unit.
 * @param executable absolute path of the executable, see `isUnitPath`
 */
export function renderUnit({ executable }: { executable: string }): string {
  return `[Unit]
Description=phishwatch, which finds phishing look-alikes of protected domains
Documentation=man:phishwatch(1)
Wants=network-online.target
After=network-online.target

[Service]
${unitLines(executable).map(renderLine).join("\n")}
# Secrets that only root and the service can read. In the configuration: key = { credential = "name" }
#LoadCredential=name:${credentialsFolder}/name
#LoadCredentialEncrypted=name:${credentialsFolder}/name.encrypted

[Install]
WantedBy=multi-user.target
`;
}

function renderLine(line: Line): string {
  if (line === null) return "";
  const [name, value, reason] = line;
  return `${reason === undefined ? "" : `# ${reason}\n`}${name}=${value}`;
}

import { openRepository, type Repository } from "../../operations/backups/repository/repository.ts";
import { openStore } from "../../operations/backups/stores/open-store.ts";
import type { Config } from "../../platform/config/config.ts";
import { systemClock } from "../../platform/lib/clock.ts";
import { newestState, standbyFolder } from "../../operations/standby/standby-folder.ts";
import { fromFlag, placeOf } from "../appliance/backup-place.ts";
import { fillRandom } from "../appliance/fill-random.ts";
import { command, type CommandGroup, FailedError } from "../terminal/command.ts";
import {
  openStandbyStatus,
  readStatus,
  reportOf,
  type StandbyReport,
} from "../../operations/standby/status.ts";
import { loadConfiguration, requireFile } from "../appliance/configuration.ts";
import { configFlag, duration, hostPort, jsonFlag, toggle } from "../terminal/flags.ts";
import { printJson, renderFacts } from "../terminal/table.ts";
import { requireOwnFolder } from "../../platform/database/files/other-users.ts";
import { takeServeLock, tryLock } from "../../platform/database/lock.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { promote } from "../../operations/standby/promote.ts";
import { actorOfShell } from "../appliance/shell-user.ts";
import { formatDuration } from "../../platform/lib/durations.ts";
import { follow } from "../../operations/standby/follow.ts";
import { openLog } from "../appliance/open-log.ts";

/** Returns the folder of the standby. @throws FailedError if the database is kept in memory */
function requireStandbyFolder({ storage }: Config): string {
  return standbyFolder(requireFile(storage.path));
}

/**
 * Prepares the connection to the backups of the primary.
 * @param from place that replaces the configured one
 * @throws UsageError for an invalid place, StoreError for a bucket without credentials
 */
function openPrimary(
  { backup }: Config,
  from: string | undefined,
  signal: AbortSignal,
): { name: string; openRepository: () => Promise<Repository> } {
  const { location, encryptWith } = placeOf(backup, from, "--from");
  const store = openStore({ location, clock: systemClock, fillRandom, signal });
  let opened: Repository | undefined;
  return {
    name: store.name,
    // Deriving the key takes a moment, so that a repository stays open.
    openRepository: async () =>
      (opened ??= await openRepository({ store, secret: encryptWith, fillRandom, createAt: undefined })),
  };
}

const failures: Record<Exclude<StandbyReport["condition"], "following">, string> = {
  empty: "the standby has no backup yet",
  failing: "the standby cannot follow the backups",
  stopped: "no standby is following; start 'phishwatch standby'",
};

export const statusCommand = command({
  name: "status",
  flags: { json: jsonFlag, config: configFlag },
  async run({ options, terminal }) {
    const standby = requireStandbyFolder(await loadConfiguration(options.config, terminal.env));
    const report = reportOf(await newestState(standby), await readStatus(standby), systemClock.now());
    const { condition, backup, version, changesUntil, lagSeconds, checkedAt, error } = report;
    if (options.json) printJson(terminal.out, report);
    else
      terminal.out.write(
        renderFacts([
          ["condition", condition],
          ["backup", backup],
          ["made by", version === null ? null : `phishwatch ${version}`],
          ["changes until", changesUntil],
          ["age", lagSeconds === null ? null : `${lagSeconds} s`],
          ["last check", checkedAt],
          ["error", error],
        ]),
      );
    if (condition !== "following") throw new FailedError(failures[condition]);
  },
});

const promoteCommand = command({
  name: "promote",
  flags: { force: toggle("--force"), from: fromFlag, config: configFlag },
  async run({ options, terminal }) {
    const config = await loadConfiguration(options.config, terminal.env);
    const standby = requireStandbyFolder(config);
    const { path } = config.storage;
    const signal = terminal.interruption();
    using following = tryLock(path, "standby");
    if (following === undefined)
      throw new FailedError(`'phishwatch standby' is running in ${standby}; stop it first`);
    const { err } = terminal;
    requireOwnFolder(path);
    using _serving = takeServeLock(path);
    const { manifest, keptAs, notFetched } = await promote({
      standby,
      openRepository: openPrimary(config, options.from, signal).openRepository,
      databasePath: path,
      schedule: config.backup.schedule,
      force: options.force,
      by: actorOfShell(terminal.env),
      clock: systemClock,
      signal,
    });
    if (notFetched !== undefined)
      err.write(`newer backups were not fetched: ${visible(notFetched, 1_000)}\n`);
    err.write(`promoted ${path} to the backup ${manifest.id}, with all changes until ${manifest.beganAt}\n`);
    for (const name of keptAs) err.write(`the previous files are kept as ${name}\n`);
    err.write("start 'phishwatch serve' now, and do not start the former primary with its database again\n");
  },
});

const pollMsDefault = 60_000;
const pollMsMin = 1_000;

const followCommand = command({
  name: "follow",
  flags: {
    from: fromFlag,
    every: duration(
      "--every <duration>",
      `time between two checks (default: ${formatDuration(pollMsDefault)})`,
    ),
    listen: hostPort("--listen <host:port>"),
    config: configFlag,
  },
  async run({ options, terminal }) {
    const config = await loadConfiguration(options.config, terminal.env);
    const pollMs = Math.max(pollMsMin, options.every ?? pollMsDefault);
    const standby = requireStandbyFolder(config);
    const signal = terminal.interruption();
    const primary = openPrimary(config, options.from, signal);
    using lock = tryLock(config.storage.path, "standby");
    if (lock === undefined) throw new FailedError(`another standby already follows in ${standby}`);
    const log = openLog(config, terminal);
    const server =
      options.listen === undefined
        ? undefined
        : openStandbyStatus({ standby, listen: options.listen, clock: systemClock });
    try {
      const backup = (await newestState(standby))?.manifest.id;
      log.event("standby.started", {
        store: primary.name,
        pollMs,
        ...(backup === undefined ? {} : { backup }),
      });
      await follow({ standby, ...primary, pollMs, clock: systemClock, log, signal });
    } finally {
      await server?.stop();
    }
  },
});

export const standbyCommands: CommandGroup = {
  name: "standby",
  commands: [followCommand, statusCommand, promoteCommand],
  unnamed: "follow",
};

import { requireOwnFolder } from "../../platform/database/files/other-users.ts";
import { takeServeLock, tryLock } from "../../platform/database/lock.ts";
import { systemClock } from "../../platform/lib/clock.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { promote } from "../../operations/standby/promote.ts";
import { fromFlag } from "../appliance/backup-place.ts";
import { loadConfiguration } from "../appliance/configuration.ts";
import { actorOfShell } from "../appliance/shell-user.ts";
import { command } from "../terminal/command.ts";
import { FailedError } from "../terminal/failure.ts";
import { configFlag, toggle } from "../terminal/flags.ts";
import { openPrimary, requireStandbyFolder } from "./standby-options.ts";

export const promoteCommand = command({
  name: "promote",
  summary: "make the newest backup of the primary the database of this machine",
  details: `Fetches what is newer, replaces the database, the screenshots and the archive, and keeps previous ones under other names.
Stop 'phishwatch standby' first, and start 'phishwatch serve' afterward. All console sessions end. Events that were pending at the time of
the backup are delivered.

Refuses while the primary may still run: two appliances would send the same events.`,
  flags: {
    force: toggle(
      "--force",
      "the primary is stopped; use the state that is there, even if a newer one cannot be fetched",
    ),
    from: fromFlag,
    config: configFlag,
  },
  examples: [
    ["phishwatch standby promote", "the primary has missed its backup"],
    ["phishwatch standby promote --force", "the primary is stopped and will not start again"],
  ],
  async run({ options, terminal }) {
    const config = await loadConfiguration(options.config, terminal.env);
    const standby = requireStandbyFolder(config);
    const { path } = config.storage;
    const signal = terminal.interruption();
    const following = tryLock(path, "standby");
    if (following === undefined)
      throw new FailedError(`'phishwatch standby' is running in ${standby}; stop it first`);
    const { err } = terminal;
    try {
      requireOwnFolder(path);
      const serving = takeServeLock(path);
      try {
        const { manifest, keptAs, notFetched } = await promote({
          standby,
          openRepository: openPrimary({ config, from: options.from, signal }).openRepository,
          databasePath: path,
          schedule: config.backup.schedule,
          force: options.force,
          by: actorOfShell(terminal.env),
          clock: systemClock,
          signal,
        });
        if (notFetched !== undefined)
          err.write(`newer backups were not fetched: ${visible(notFetched, 1_000)}\n`);
        err.write(
          `promoted ${path} to the backup ${manifest.id}, with all changes until ${manifest.beganAt}\n`,
        );
        for (const name of keptAs) err.write(`the previous files are kept as ${name}\n`);
        err.write(
          "start 'phishwatch serve' now, and do not start the former primary with its database again\n",
        );
      } finally {
        serving.release();
      }
    } finally {
      following.release();
    }
  },
});

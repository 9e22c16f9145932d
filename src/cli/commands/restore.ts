import { resolve } from "node:path";
import { restoreFile } from "../../backups/file-backups.ts";
import { takeServeLock } from "../../database/lock.ts";
import { systemClock } from "../../lib/clock.ts";
import { requestChecks } from "../../sources/archive-checks/request-checks.ts";
import { loadConfiguration } from "../appliance/configuration.ts";
import { actorOfShell } from "../appliance/shell-user.ts";
import { command } from "../terminal/command.ts";
import { FailedError } from "../terminal/failure.ts";
import { configFlag } from "../terminal/flags.ts";

export const restoreCommand = command({
  name: "restore",
  arguments: "<file>",
  summary: "replace the database with a backup",
  details: `The copy is checked first, and the present database is kept beside the new one under another name.
Stop the server first. All console sessions end. Events that were pending when the backup was created are delivered after the next start.
The archive of names is not part of a backup; its names are checked again, because threats that were found since the backup are not in it.`,
  flags: { config: configFlag },
  examples: [["phishwatch restore /backups/phishwatch-2026-01-31.db", "back to that day"]],
  async run({ args, options, terminal }) {
    const config = await loadConfiguration(options.config, terminal.env);
    const { path } = config.storage;
    if (path === ":memory:") throw new FailedError("the database is kept in memory only (storage.path)");
    const lock = takeServeLock(path);
    try {
      const at = systemClock.now();
      const copy = resolve(args[0] ?? "");
      const by = actorOfShell(terminal.env);
      const { keptAs } = restoreFile({ copy, path, by, at, prepare: requestChecks });
      terminal.err.write(`restored ${path}\n`);
      if (keptAs !== undefined) terminal.err.write(`the database as it was is kept as ${keptAs}\n`);
    } finally {
      lock.release();
    }
  },
});

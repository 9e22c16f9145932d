import { mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { backUpFile } from "../../backups/file-backups.ts";
import { explain } from "../../database/files/explain.ts";
import { systemClock, toIsoTime, type Instant } from "../../lib/clock.ts";
import { visible } from "../../lib/safe-text.ts";
import { loadConfiguration } from "../appliance/configuration.ts";
import { actorOfShell } from "../appliance/shell-user.ts";
import { command } from "../terminal/command.ts";
import { FailedError } from "../terminal/failure.ts";
import { configFlag } from "../terminal/flags.ts";

export const backupCommand = command({
  name: "backup",
  arguments: "[file]",
  summary: "write a consistent copy of the database, also while a server runs",
  details:
    "The copy contains everything except screenshots. It includes the secrets of channels, webhook endpoints and lists, so protect it like the database. Screenshots are files in the folder screenshots beside the database. Copy that folder at any time, and put it back beside a restored database. Without it, threats have no screenshots until the next ones are taken. Never overwrites an existing file. Without a file, the copy is written to the folder backups next to the database, under a name with the time.",
  flags: { config: configFlag },
  examples: [
    ["phishwatch backup", "to the folder backups next to the database"],
    ["phishwatch backup /backups/phishwatch-$(date +%F).db", "once a day"],
  ],
  async run({ args, options, terminal }) {
    const config = await loadConfiguration(options.config, terminal.env);
    if (config.storage.path === ":memory:")
      throw new FailedError("the database is kept in memory only (storage.path)");
    const at = systemClock.now();
    const target = args[0] === undefined ? defaultTarget(config.storage.path, at) : resolve(args[0]);
    const { recorded } = backUpFile({
      path: config.storage.path,
      target,
      by: actorOfShell(terminal.env),
      at,
    });
    terminal.err.write(`wrote ${visible(target, 1_000)}\n`);
    if (!recorded)
      terminal.err.write(
        "phishwatch: note: the audit log could not be written: is the database read-only?\n",
      );
  },
});

/** Returns a path in a folder that only its owner can read. */
function defaultTarget(path: string, at: Instant): string {
  const folder = join(dirname(path), "backups");
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new FailedError(`cannot create ${folder}: ${explain(error, folder)}`);
  }
  return join(folder, `phishwatch-${toIsoTime(at).slice(0, 19).replaceAll(":", "-")}.db`);
}

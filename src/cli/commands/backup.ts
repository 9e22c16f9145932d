import { resolve } from "node:path";
import { backUpFile } from "../../access/backups/file-backups.ts";
import { systemClock } from "../../lib/clock.ts";
import { visible } from "../../lib/safe-text.ts";
import { loadConfiguration } from "../appliance/configuration.ts";
import { actorOfShell } from "../appliance/shell-user.ts";
import { command } from "../terminal/command.ts";
import { FailedError } from "../terminal/failure.ts";
import { configFlag } from "../terminal/flags.ts";

export const backupCommand = command({
  name: "backup",
  arguments: "<file>",
  summary: "write a consistent copy of the database, also while a server runs",
  details:
    "The copy contains everything except screenshots. It includes the secrets of webhook endpoints, so protect it like the database. Screenshots are files in the folder screenshots beside the database. Copy that folder at any time, and put it back beside a restored database. Without it, threats have no screenshots until the next ones are taken. Never overwrites an existing file.",
  flags: { config: configFlag },
  examples: [["phishwatch backup /backups/phishwatch-$(date +%F).db", "once a day"]],
  async run({ args, options, terminal }) {
    const config = await loadConfiguration(options.config, terminal.env);
    const target = resolve(args[0] ?? "");
    if (config.storage.path === ":memory:")
      throw new FailedError("the database is kept in memory only (storage.path)");
    const { recorded } = backUpFile({
      path: config.storage.path,
      target,
      by: actorOfShell(terminal.env),
      at: systemClock.now(),
    });
    terminal.err.write(`wrote ${visible(target, 1_000)}\n`);
    if (!recorded)
      terminal.err.write(
        "phishwatch: note: the audit log could not be written: is the database read-only?\n",
      );
  },
});

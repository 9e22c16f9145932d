import { resolve } from "node:path";
import { visible } from "../lib/safe-text.ts";
import { command } from "./command.ts";
import { loadConfiguration } from "./configuration.ts";
import { FailedError } from "./failure.ts";
import { configFlag } from "./flags.ts";

export const backupCommand = command({
  name: "backup",
  arguments: "<file>",
  summary: "write a consistent copy of the database, also while a server runs",
  details:
    "The copy holds everything, secrets of webhooks too: keep it as safe as the database. A file that exists is never overwritten.",
  flags: { config: configFlag },
  examples: [["phishwatch backup /backups/phishwatch-$(date +%F).db", "once a day"]],
  async run({ args, options, terminal }) {
    const config = await loadConfiguration(options.config, terminal.env);
    const { copyDatabase } = await import("../database/backup.ts");
    const target = resolve(args[0] ?? "");
    if (config.storage.path === ":memory:")
      throw new FailedError("the database is kept in memory only (storage.path)");
    copyDatabase(config.storage.path, target);
    terminal.err.write(`wrote ${visible(target, 1_000)}\n`);
  },
});

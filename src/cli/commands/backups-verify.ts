import { rehearseRestore, verifyBackup } from "../../operations/backups/restoring/rehearse.ts";
import type { Config } from "../../platform/config/config.ts";
import { systemClock } from "../../platform/lib/clock.ts";
import { bytesText, spanText } from "../../platform/lib/durations.ts";
import { explained, findBackup, fromFlag, openPlace, placeOf } from "../appliance/backup-place.ts";
import { loadConfiguration } from "../appliance/configuration.ts";
import { fillRandom } from "../appliance/fill-random.ts";
import { open as openAppliance } from "../appliance/with-appliance.ts";
import { command } from "../terminal/command.ts";
import { configFlag, jsonFlag, toggle } from "../terminal/flags.ts";
import { printJson } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";

export const verifyCommand = command({
  name: "verify",
  arguments: "[id]",
  summary: "read a backup and check every part of it",
  details: `Without an id, verifies the newest one. --restore rehearses a restore: it restores the backup into a temporary folder
next to the database, which needs room for all of it, checks the database, opens the appliance on it, and deletes it.
Nothing is sent or looked up. Exits with 1 if something is damaged or missing.`,
  flags: {
    restore: toggle("--restore", "rehearse a restore"),
    from: fromFlag,
    json: jsonFlag,
    config: configFlag,
  },
  examples: [
    ["phishwatch backups verify", "the newest backup"],
    ["phishwatch backups verify --restore", "rehearse its restore"],
  ],
  run: ({ args, options, terminal }) => verifyOne({ id: args[0], ...options, terminal }),
});

/** Verifies a backup for a command. */
export async function verifyOne({
  id: given,
  restore,
  from,
  json,
  config: configPath,
  terminal,
}: {
  id: string | undefined;
  restore: boolean;
  from: string | undefined;
  json: boolean;
  config: string | undefined;
  terminal: Terminal;
}): Promise<void> {
  const config = await loadConfiguration(configPath, terminal.env);
  const signal = terminal.interruption();
  const repository = await openPlace(placeOf(config.backup, from, "--from"), signal);
  const manifest = await findBackup(repository, given);
  const { id } = manifest;
  const common = { repository, manifest, clock: systemClock, signal };
  const open = ({ database }: { database: string }) => openOnce(config, database, terminal);
  const place = { databasePath: config.storage.path, fillRandom, open };
  const result = await explained(() =>
    restore ? rehearseRestore({ ...common, ...place }) : verifyBackup(common),
  );
  if (json) return printJson(terminal.out, { id, restored: restore, ...result });
  const { files, bytes, durationMs } = result;
  const what = `${files} files with ${bytesText(bytes)} in ${spanText(durationMs)}`;
  terminal.out.write(restore ? `${id} can be restored: ${what}\n` : `${id} is complete: ${what}\n`);
}

/** Opens the appliance on a restored database and closes it: nothing is started. */
async function openOnce(config: Config, path: string, terminal: Terminal): Promise<void> {
  const { source: _, ...rest } = config;
  const appliance = openAppliance({ ...rest, storage: { path } }, terminal, { level: "warn" });
  try {
    appliance.threats.list({}, { page: 1, perPage: 1 });
  } finally {
    await appliance.archive.stop();
    appliance.close();
  }
}

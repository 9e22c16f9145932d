import { resolve } from "node:path";
import { backUpFile, readStoredOutcomes, recordOutcome } from "../../operations/backups/file-backups.ts";
import { completedAt } from "../../operations/backups/running/outcomes.ts";
import { runBackup } from "../../operations/backups/running/run-backup.ts";
import type { Config } from "../../platform/config/config.ts";
import { requireOwnFolder } from "../../platform/database/files/other-users.ts";
import { buildInfo } from "../../platform/lib/build-info.ts";
import { systemClock } from "../../platform/lib/clock.ts";
import { bytesText, spanText } from "../../platform/lib/durations.ts";
import { messageOf } from "../../platform/lib/errors.ts";
import { visible } from "../../platform/lib/safe-text.ts";
import { explained, placeOf } from "../appliance/backup-place.ts";
import { loadConfiguration, requireDatabase } from "../appliance/configuration.ts";
import { fillRandom } from "../appliance/fill-random.ts";
import { actorOfShell } from "../appliance/shell-user.ts";
import { command, UsageError } from "../terminal/command.ts";
import { configFlag, jsonFlag, text, toggle } from "../terminal/flags.ts";
import { printJson } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { verifyOne } from "./backups.ts";

export const backupCommand = command({
  name: "backup",
  arguments: "[file] [id]",
  flags: { to: text("--to <place>"), restore: toggle("--restore"), json: jsonFlag, config: configFlag },
  async run({ args, options, terminal }) {
    const [file, id] = args;
    if (file === "verify") {
      return verifyOne(id, { ...options, from: options.to }, terminal);
    }
    if (id !== undefined || options.restore)
      throw new UsageError("a second argument and --restore need 'backup verify'");
    const config = await loadConfiguration(options.config, terminal.env);
    const path = requireDatabase(config);
    if (file === undefined) return backUp(config, options, terminal);
    if (options.to !== undefined) throw new UsageError("give either a file or --to");
    const target = resolve(file);
    const { recorded } = backUpFile({ path, target, by: actorOfShell(terminal.env), at: systemClock.now() });
    terminal.err.write(`wrote ${visible(target, 1_000)}\n`);
    warnUnrecorded(recorded, terminal);
  },
});

async function backUp(
  config: Config,
  { to, json }: { to: string | undefined; json: boolean },
  terminal: Terminal,
): Promise<void> {
  const { path } = config.storage;
  // The server could neither read nor delete what root adds to its backups.
  requireOwnFolder(path);
  const by = actorOfShell(terminal.env);
  const outcomes = readStoredOutcomes(path, systemClock.now());
  const task = {
    databasePath: path,
    descriptor: undefined,
    settings: { ...placeOf(config.backup, to, "--to"), keep: config.backup.keep },
    configuration: config.source?.text,
    version: buildInfo.version,
    opensDatabase: true,
    outcomes: to === undefined ? outcomes : { ...outcomes, store: null },
  };
  const signal = terminal.interruption();
  try {
    const made = await explained(() => runBackup(task, { clock: systemClock, fillRandom, signal }));
    const at = systemClock.now();
    const place = to === undefined ? { store: made.store } : {};
    const outcome = { ...completedAt(made, at), ...place };
    const recorded = recordOutcome({ path, by, at, outcome, id: made.id });
    if (json) printJson(terminal.out, made);
    else {
      const { id, files, bytes, storedBytes, durationMs, kept } = made;
      terminal.err.write(
        `backed up ${files} files with ${bytesText(bytes)} as ${id} in ${spanText(durationMs)}; ${bytesText(storedBytes)} were stored; ${kept} kept\n`,
      );
      if (made.repaired !== undefined)
        terminal.err.write(
          `phishwatch: note: ${visible(made.repaired, 1_000)}; it was stored again; check earlier backups with 'phishwatch backups verify ID'\n`,
        );
      if (made.notChecked !== null)
        terminal.err.write(
          `phishwatch: note: the backup is complete, but its database was not checked: ${visible(made.notChecked, 1_000)}\n`,
        );
    }
    warnUnrecorded(recorded, terminal);
  } catch (error) {
    const at = systemClock.now();
    recordOutcome({ path, by, at, outcome: { failure: { at, error: messageOf(error) } } });
    throw error;
  }
}

function warnUnrecorded(recorded: boolean, { err }: Terminal): void {
  if (!recorded)
    err.write("phishwatch: note: the audit log could not be written: is the database read-only?\n");
}
